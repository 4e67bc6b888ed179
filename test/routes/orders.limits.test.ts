import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { settingValues } from '../../src/services/settings/settings.ts'
import { loginAs } from '../support/accounts.ts'
import { createProduct } from '../support/factories.ts'
import { sendOrder, setSetting } from '../support/orders.ts'
import { PROCESS_TIMEOUT_MS } from '../support/serving-process.ts'
import { startTestShop, type TestShop } from '../support/shop.ts'

const PATIENTLY = { timeout: PROCESS_TIMEOUT_MS, interval: 5 }

// Placing is limited per address and per phone, counted in the database.
let shop: TestShop
let second: TestShop
let admin: string
let productId: number

beforeAll(async () => {
  shop = await startTestShop({ RATE_LIMIT_ORDERS: '0', TRUST_PROXY: 'loopback' })
  second = await startTestShop(
    { RATE_LIMIT_ORDERS: '0', TRUST_PROXY: 'loopback' },
    { databaseUrl: shop.deps.config.databaseUrl },
  )
  admin = await loginAs(shop, 'ADMIN')
})
afterAll(async () => {
  await second.close()
  await shop.close()
})
beforeEach(async () => {
  await shop.deps.db.deleteFrom('rate_limits').execute()
  productId = await createProduct(shop.deps.db, { stock: 1000 })
  await limit({ ip: 20, phone: 10, window_minutes: 60 })
})

async function limit(values: { ip?: number; phone?: number; window_minutes?: number }): Promise<void> {
  const { ip, phone, window_minutes } = values
  const settings = { per_ip: ip, per_phone: phone, window_minutes }
  for (const [name, value] of Object.entries(settings)) {
    if (value === undefined) continue
    const row = [`order_limit_${name}`, String(value)] as const
    expect((await setSetting(shop, admin, ...row)).status).toBe(200)
    // The other instance hears of it after the answer.
    const heard = expect.poll(async () => Object.entries(await settingValues(second.deps)), PATIENTLY)
    await heard.toContainEqual(row)
  }
}

type From = {
  address?: string
  phone?: string
  token?: string
  key?: string
  quantity?: number
  at?: TestShop
}

async function place(from: From = {}): Promise<number> {
  const { address = '192.0.2.1', phone = '+7 900 000-00-00', token, key, quantity = 1, at = shop } = from
  const answer = await at.call('POST', '/api/v1/orders', {
    ...(token === undefined ? {} : { token }),
    headers: { 'x-forwarded-for': address, ...(key === undefined ? {} : { 'idempotency-key': key }) },
    body: { customerName: 'Анна', customerPhone: phone, items: [{ productId, quantity }] },
  })
  if (answer.status === 429) {
    expect(answer.body).toMatchObject({ code: 'RATE_LIMITED' })
    const wait = Number(answer.headers.get('retry-after'))
    expect(wait).toBeGreaterThan(0)
    expect(wait).toBeLessThanOrEqual(3600)
  }
  return answer.status
}

async function times(count: number, from: (n: number) => From): Promise<number[]> {
  const statuses: number[] = []
  for (let n = 0; n < count; n++) statuses.push(await place(from(n)))
  return statuses
}

const placed = (count: number, refused: number) => [
  ...Array.from({ length: count }, () => 201),
  ...Array.from({ length: refused }, () => 429),
]

test('asks to wait until the last of the limits is over', async () => {
  await limit({ ip: 1, phone: 1 })
  const { db } = shop.deps
  for (const first of ['ip', 'phone']) {
    await db.deleteFrom('rate_limits').execute()
    const again = () => sendOrder(shop, [{ productId, quantity: 1 }], { fields: { customerPhone: '+7 900 000-00-00' } })
    expect((await again()).status).toBe(201)
    const soon = sql<Date>`now() + interval '10 minutes'`
    await db.updateTable('rate_limits').set({ resets_at: soon }).where('key', 'like', `order:${first}:%`).execute()
    const answer = await again()
    expect([first, answer.status]).toEqual([first, 429])
    expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(1800)
  }
})

test('answers 429 to the eleventh order of a phone within the hour', async () => {
  const spellings = ['+7 900 000-00-00', '8 900 000 00 00', '79000000000', '+7(900)0000000']
  const statuses = await times(12, (n) => ({
    address: `192.0.2.${n}`,
    phone: spellings[n % 4] ?? '',
    at: n % 2 ? shop : second,
  }))
  expect(statuses).toEqual(placed(10, 2))
  expect(await place({ phone: '+7 900 000-00-01' })).toBe(201)
})

test('answers 429 to the twenty-first order of an address within the hour', async () => {
  expect(await times(22, (n) => ({ phone: `+7 900 000-00-${10 + n}` }))).toEqual(placed(20, 2))
  expect(await place({ address: '192.0.2.2', phone: '+7 900 000-00-99' })).toBe(201)
})

test('counts an IPv6 network as one address', async () => {
  await limit({ ip: 2 })
  const addresses = ['2001:db8:1:2::1', '2001:db8:1:2:ffff::2', '2001:db8:1:2::3', '2001:db8:1:3::1']
  const statuses = await times(4, (n) => ({ address: addresses[n] ?? '', phone: `+7 900 000-01-0${n}` }))
  expect(statuses).toEqual([201, 201, 429, 201])
})

test('counts anew where a clock that was wrong had set the end of the window', async () => {
  await limit({ phone: 1 })
  expect(await times(2, () => ({}))).toEqual(placed(1, 1))
  const inAYear = new Date(Date.now() + 365 * 86_400_000)
  await shop.deps.db.updateTable('rate_limits').set({ resets_at: inAYear }).execute()
  expect(await times(2, () => ({}))).toEqual(placed(1, 1))
})

test('limits concurrent orders too, on two instances', async () => {
  await limit({ phone: 3 })
  const statuses = await Promise.all(Array.from({ length: 12 }, (_, n) => place({ at: n % 2 ? shop : second })))
  expect(statuses.toSorted()).toEqual(placed(3, 9))
})

test('counts neither refused nor replayed orders', async () => {
  await limit({ phone: 2 })
  expect(await times(3, () => ({ quantity: 5000 }))).toEqual([409, 409, 409])
  expect(await times(4, () => ({ key: 'one' }))).toEqual([201, 201, 201, 201])
  expect(await times(2, () => ({}))).toEqual([201, 429])
  // What was placed can still be asked for.
  expect(await place({ key: 'one' })).toBe(201)
})

test('does not count orders refused by the phone’s limit for the address', async () => {
  await limit({ ip: 3, phone: 1 })
  expect(await times(4, () => ({}))).toEqual(placed(1, 3))
  expect(await times(3, (n) => ({ phone: `+7 900 000-02-0${n}` }))).toEqual(placed(2, 1))
})

test.each([
  ['MANAGER', 201],
  ['EDITOR', 429],
  ['USER', 429],
] as const)('a %s beyond the limit is answered %i', async (role, status) => {
  await limit({ phone: 1 })
  const token = await loginAs(shop, role)
  await place({ token })
  expect(await place({ token })).toBe(status)
})

test('does not limit staff', async () => {
  await limit({ phone: 1 })
  await place({ token: admin })
  expect(await place()).toBe(201)
})

test('disables a limit with 0, and applies changes from the next order on', async () => {
  await limit({ phone: 1 })
  expect(await times(2, () => ({}))).toEqual([201, 429])
  await limit({ phone: 0 })
  expect(await times(3, () => ({}))).toEqual([201, 201, 201])
  await limit({ phone: 1, window_minutes: 1 })
  expect(await times(2, () => ({}))).toEqual([201, 429])
})

test('stores neither order nor reservation nor mail when refusing', async () => {
  await limit({ phone: 1 })
  await place()
  const count = () =>
    shop.deps.db
      .selectFrom('orders')
      .select(({ fn }) => fn.countAll<number>().as('orders'))
      .executeTakeFirstOrThrow()
  const before = await count()
  expect(await place()).toBe(429)
  expect(await count()).toEqual(before)
  const answer = await sendOrder(shop, [{ productId, quantity: 999 }], {
    token: await loginAs(shop, 'MANAGER'),
    fields: { customerPhone: '+7 901 0' },
  })
  expect(answer.status).toBe(201)
})
