import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { createLicenceTopup } from '../../../src/services/license/license.ts'
import { loginAs } from '../../support/accounts.ts'
import { startTestShop, type TestShop } from '../../support/shop.ts'

const BASE = '/api/v1/admin/license'
// 2027-03-10 23:30 in UTC is the next day in Moscow.
const NOW = new Date('2027-03-10T23:30:00Z')

let shop: TestShop
let owner: string
let admin: string

beforeAll(async () => {
  shop = await startTestShop({ SHOP_TIME_ZONE: 'Europe/Moscow' })
  shop.deps.now = () => NOW
  owner = await loginAs(shop, 'SUPER_ADMIN')
  admin = await loginAs(shop, 'ADMIN')
})
beforeEach(async () => {
  await shop.deps.db.deleteFrom('license_prices').execute()
  await shop.deps.db.deleteFrom('license_topups').execute()
})
afterAll(() => shop.close())

const send = (method: string, path: string, body?: unknown, token = owner) =>
  shop.call(method, `${BASE}${path}`, { token, ...(body === undefined ? {} : { body }) })
const price = { startDate: '2027-01-01', endDate: null, serverCost: 1000.5, supportCost: 999.5 }
const topup = { date: '2027-01-01', amount: 5000, comment: 'первый платёж' }
async function created(path: string, body: object): Promise<number> {
  const answer = await send('POST', path, body)
  expect(answer.status).toBe(201)
  return (answer.body as { id: number }).id
}

test("computes the balance in the shop's calendar", async () => {
  expect((await send('GET', '/balance')).body).toEqual({
    balance: 0,
    paidUntil: null,
    monthlyTotal: null,
    toppedUp: 0,
    spent: 0,
    asOf: '2027-03-11',
  })
  await created('/prices', price)
  await created('/topups', topup)
  await created('/topups', { date: '2027-03-12', amount: 1000 })
  // January, February and ten days of March.
  const spent = 4645.16
  expect((await send('GET', '/balance', undefined, admin)).body).toEqual({
    balance: 354.84,
    paidUntil: '2027-03-15',
    monthlyTotal: 2000,
    toppedUp: 5000,
    spent,
    asOf: '2027-03-11',
  })
})

test('returns a negative balance and a past paidUntil once the money has run out', async () => {
  await created('/prices', price)
  await created('/topups', { date: '2027-01-01', amount: 2000 })
  expect((await send('GET', '/balance')).body).toMatchObject({ balance: -2645.16, paidUntil: '2027-01-31' })
})

test('creates, lists, updates and deletes prices', async () => {
  const second = await created('/prices', { ...price, startDate: '2027-06-01' }).catch(() => null)
  expect(second).not.toBeNull()
  const first = await created('/prices', { ...price, endDate: '2027-05-31' })
  const list = (await send('GET', '/prices', undefined, admin)).body
  expect(list).toEqual([
    {
      id: first,
      startDate: '2027-01-01',
      endDate: '2027-05-31',
      serverCost: 1000.5,
      supportCost: 999.5,
      total: 2000,
      version: 1,
    },
    {
      id: second,
      startDate: '2027-06-01',
      endDate: null,
      serverCost: 1000.5,
      supportCost: 999.5,
      total: 2000,
      version: 1,
    },
  ])
  const { endDate: _, ...withoutEnd } = { ...price, serverCost: 1 }
  expect((await send('PUT', `/prices/${first}`, withoutEnd)).body).toMatchObject({
    endDate: '2027-05-31',
    total: 1000.5,
  })
  expect(await send('PUT', `/prices/${first}`, { ...withoutEnd, startDate: '2027-06-01' })).toMatchObject({
    status: 400,
    body: { details: [{ path: 'endDate' }] },
  })
  expect((await send('PUT', `/prices/${first}`, { ...price })).body).toMatchObject({
    code: 'PERIOD_OVERLAP',
    message: 'Another price covers some of these days; end that one first',
  })
  expect((await send('DELETE', `/prices/${second}`)).status).toBe(204)
  expect((await send('PUT', `/prices/${first}`, { ...price })).body).toMatchObject({ endDate: null })
  expect((await send('DELETE', `/prices/${second}`)).status).toBe(404)
  expect((await send('PUT', `/prices/${second}`, price)).status).toBe(404)
})

test('stores one of several overlapping periods written concurrently', async () => {
  const answers = await Promise.all(
    Array.from({ length: 8 }, (_, n) => send('POST', '/prices', { ...price, startDate: `2027-01-0${n + 1}` })),
  )
  expect(answers.map(({ status }) => status).toSorted()).toEqual([201, ...Array(7).fill(409)])
})

test('creates, lists, updates and deletes top-ups', async () => {
  const early = await created('/topups', topup)
  const late = await created('/topups', { date: '2027-02-01', amount: 0.01 })
  expect((await send('GET', '/topups', undefined, admin)).body).toEqual([
    { id: late, date: '2027-02-01', amount: 0.01, comment: null, version: 1 },
    { id: early, ...topup, version: 1 },
  ])
  const changed = await send('PUT', `/topups/${early}`, { date: '2027-01-02', amount: 7 })
  expect(changed.body).toEqual({ id: early, date: '2027-01-02', amount: 7, comment: 'первый платёж', version: 2 })
  expect((await send('PUT', `/topups/${early}`, { ...topup, comment: '' })).body).toMatchObject({
    comment: null,
  })
  expect((await send('DELETE', `/topups/${early}`)).status).toBe(204)
  expect((await send('DELETE', `/topups/${early}`)).status).toBe(404)
  expect((await send('PUT', `/topups/${early}`, topup)).status).toBe(404)
})

test.each([
  ['/prices', { ...price, startDate: '2027-02-30' }, 'startDate'],
  ['/prices', { ...price, startDate: '0999-12-31' }, 'startDate'],
  ['/prices', { ...price, endDate: '2026-12-31' }, 'endDate'],
  ['/prices', { ...price, serverCost: 0.001 }, 'serverCost', 'Enter at most two decimals'],
  ['/prices', { ...price, supportCost: -1 }, 'supportCost'],
  ['/prices', { ...price, serverCost: 1e10 }, 'serverCost'],
  ['/topups', { ...topup, amount: 0 }, 'amount', 'The smallest value is 0.01'],
  ['/topups', { ...topup, amount: -1 }, 'amount', 'The smallest value is 0.01'],
  ['/topups', { ...topup, amount: 1.005 }, 'amount'],
  ['/topups', { ...topup, date: '3000-01-01' }, 'date'],
  ['/topups', { amount: 1 }, 'date'],
])('%s rejects %j and names %s', async (path, body, field, message = expect.any(String)) => {
  expect(await send('POST', path, body)).toMatchObject({
    status: 400,
    body: { code: 'VALIDATION_FAILED', details: [{ path: field, message }] },
  })
})

test('lets an ADMIN read and only a SUPER_ADMIN write, and audits every write', async () => {
  for (const path of ['/prices', '/topups']) {
    expect((await send('POST', path, path === '/prices' ? price : topup, admin)).status).toBe(403)
  }
  // The service refuses by itself, too, whatever a route lets through.
  const actor = { id: null, email: null, name: 'key', role: 'ADMIN' } as const
  await expect(createLicenceTopup(shop.deps, actor, topup)).rejects.toMatchObject({ status: 403 })
  const id = await created('/topups', topup)
  await send('PUT', `/topups/${id}`, { ...topup, amount: 6000 })
  await send('DELETE', `/topups/${id}`)
  const audit = await shop.call('GET', `/api/v1/admin/audit?entity=LICENCE_TOPUP&entityId=${id}`, {
    token: admin,
  })
  expect(audit.body).toMatchObject({
    content: [
      { action: 'DELETE', before: { amount: 6000 }, after: null },
      { action: 'UPDATE', before: { amount: 5000 }, after: { amount: 6000 } },
      { action: 'CREATE', before: null, after: { amount: 5000 } },
    ],
  })
})
