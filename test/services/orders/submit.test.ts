import { pino } from 'pino'
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest'
import type { UserRow } from '../../../db/tables/users.ts'
import { createSupplierClient } from '../../../src/clients/supplier/client.ts'
import { ORDER_STATUSES, type OrderStatus } from '../../../src/rules/orders/states.ts'
import { submitOrder } from '../../../src/services/orders/submit.ts'
import { numberedCatalogue } from '../../demo/client.ts'
import { createUser, loginAs } from '../../support/accounts.ts'
import { createSupplierOrder, placeOrder } from '../../support/orders.ts'
import { type SupplierShop, startSupplierShop } from '../../support/supplier-shop.ts'

let world: SupplierShop
let manager: UserRow
let token: string

beforeAll(async () => {
  world = await startSupplierShop({ SUPPLIER_AUTH_TYPE: 'TOKEN' }, numberedCatalogue(30))
  await world.sync()
  manager = await createUser(world.shop, 'MANAGER', { name: 'Мария' })
  token = world.shop.app.signToken(manager)
})
beforeEach(() => {
  world.supplier.faults.reset()
  world.supplier.requests.length = 0
})
afterAll(() => world.close())

const createOrder = (status?: OrderStatus, externalIds?: (string | null)[]) =>
  createSupplierOrder(world.shop, status, externalIds)
const submit = (id: number) => world.shop.call('POST', `/api/v1/admin/orders/${id}/submit`, { token })
const details = async (id: number) => (await world.shop.call('GET', `/api/v1/admin/orders/${id}`, { token })).body
const sentFor = (id: number) => world.supplier.orders.filter(({ reference }) => reference === String(id))
const attemptsOf = (id: number) =>
  world.shop.deps.db.selectFrom('order_submit_attempts').selectAll().where('order_id', '=', id).orderBy('id').execute()
const orderRow = (id: number) =>
  world.shop.deps.db.selectFrom('orders').selectAll().where('id', '=', id).executeTakeFirstOrThrow()

test.each(['NEW', 'PROCESSING', 'ERROR'] as const)('an order that is %s is sent as it is', async (status) => {
  const id = await createOrder(status)
  const before = Date.now()
  const answer = await submit(id)
  expect(answer).toMatchObject({ status: 200, body: { id, status: 'SENT', submitError: null } })
  expect(sentFor(id)).toMatchObject([
    {
      reference: String(id),
      customer: { name: 'Анна', phone: '+7 900 000-00-00', email: null },
      delivery: { method: 'courier', address: 'Тверь, Мира 1', cost: 300.1 },
      comment: 'после шести',
      items: [
        { productId: 'p1', quantity: 1, price: 100.5 },
        { productId: 'p2', quantity: 1, price: 100.5 },
      ],
    },
  ])
  const [sent] = sentFor(id)
  expect(answer.body).toMatchObject({ externalId: sent?.id })
  expect((await orderRow(id)).sent_at?.getTime()).toBeGreaterThanOrEqual(before - 1000)
  expect(await details(id)).toMatchObject({
    history: [{ userId: manager.id, userName: 'Мария', fromStatus: status, toStatus: 'SENT' }],
    submitAttempts: [
      {
        outcome: 'ACCEPTED',
        error: null,
        durationMs: expect.any(Number),
        request: { reference: String(id), items: [{ productId: 'p1' }, { productId: 'p2' }] },
        response: { status: 200, body: JSON.stringify({ id: sent?.id }) },
      },
    ],
  })
})

test.each(['SENT', 'CANCELLED', 'COMPLETED', 'ARCHIVED'] as const)(
  'an order that is %s is not sent',
  async (status) => {
    const id = await createOrder(status)
    expect(await submit(id)).toMatchObject({ status: 409, body: { code: 'ORDER_NOT_SUBMITTABLE' } })
    expect(await attemptsOf(id)).toEqual([])
    expect(world.supplier.requests).toEqual([])
  },
)

test.each(ORDER_STATUSES)('an accepted order is not sent again once it is %s', async (status) => {
  const id = await createOrder()
  await submit(id)
  const path = `/api/v1/admin/orders/${id}`
  expect((await world.shop.call('PATCH', path, { token, body: { status, adminComment: 'again' } })).status).toBe(200)
  world.supplier.requests.length = 0
  const { version } = await orderRow(id)
  const [sent] = sentFor(id)
  const before = await details(id)
  expect(await submit(id)).toMatchObject({ status: 200, body: { id, status, externalId: sent?.id, version } })
  expect(await details(id)).toEqual(before)
  expect(await attemptsOf(id)).toHaveLength(1)
  expect(world.supplier.requests).toEqual([])
  const headers = { 'if-match': '"0"' }
  expect((await world.shop.call('POST', `${path}/submit`, { token, headers })).status).toBe(412)
})

test('answers 404 for an unknown order and an id out of range', async () => {
  for (const id of [2_000_000_000, 99_999_999_999]) expect((await submit(id)).status).toBe(404)
})

test('answers 409 naming lines unknown to the supplier', async () => {
  const id = await createOrder('NEW', ['p1', null])
  const answer = await submit(id)
  expect(answer).toMatchObject({
    status: 409,
    body: {
      code: 'NOT_A_SUPPLIER_PRODUCT',
      details: [{ path: expect.stringMatching(/^items\.\d+$/), message: expect.stringContaining('Дрель 2') }],
    },
  })
  expect(await attemptsOf(id)).toEqual([])
  expect(world.supplier.requests).toEqual([])
})

test('sets a refused order to ERROR with the reason, and allows another submission', async () => {
  const id = await createOrder('NEW', ['p1', 'unknown-1'])
  expect(await submit(id)).toMatchObject({
    status: 200,
    body: { status: 'ERROR', externalId: null, submitError: expect.stringContaining('unknown-1') },
  })
  world.catalogue.upsertProduct({ id: 'unknown-1', name: 'Теперь есть', price: 1, stock: 5 })
  expect(await submit(id)).toMatchObject({ status: 200, body: { status: 'SENT', submitError: null } })
  expect((await attemptsOf(id)).map(({ outcome }) => outcome)).toEqual(['REFUSED', 'ACCEPTED'])
  expect(await details(id)).toMatchObject({
    history: [
      { fromStatus: 'NEW', toStatus: 'ERROR' },
      { fromStatus: 'ERROR', toStatus: 'SENT' },
    ],
  })
})

test('does not mark refused lines as sent, but keeps marks of an earlier unclear attempt', async () => {
  const id = await createOrder()
  const attempt = async (status: number) => {
    world.supplier.faults.set({ failNext: 1, status, path: 'CreateOrder' })
    expect(await submit(id)).toMatchObject({ body: { status: 'ERROR' } })
    return (await orderRow(id)).sent_at
  }
  expect(await attempt(400)).toBeNull()
  expect(await attempt(400)).toBeNull()
  const unclear = await attempt(500)
  expect(unclear).toEqual(expect.any(Date))
  expect(await attempt(400)).toEqual(unclear)
  expect((await attemptsOf(id)).map(({ outcome }) => outcome)).toEqual(['REFUSED', 'REFUSED', 'UNCLEAR', 'REFUSED'])
})

test('keeps accepted lines unchanged when staff reopen the order', async () => {
  const { db } = world.shop.deps
  const { id: productId } = await db
    .selectFrom('products')
    .select('id')
    .where('external_id', '=', 'p3')
    .executeTakeFirstOrThrow()
  const { id, items } = await placeOrder(world.shop, [{ productId, quantity: 1 }])
  expect(await submit(id)).toMatchObject({ body: { status: 'SENT' } })
  const admin = await loginAs(world.shop, 'ADMIN')
  const send = (method: string, path: string, body?: unknown) =>
    world.shop.call(method, `/api/v1/admin/orders/${id}${path}`, { token: admin, body })
  expect(await send('PATCH', '', { status: 'PROCESSING' })).toMatchObject({ status: 200 })
  for (const answer of [
    await send('POST', '/items', { productId, quantity: 1 }),
    await send('DELETE', `/items/${items[0]?.id}`),
  ]) {
    expect(answer).toMatchObject({ status: 409, body: { code: 'ORDER_NOT_EDITABLE' } })
  }
  expect(await details(id)).toMatchObject({ status: 'PROCESSING', items: [{ productId, quantity: 1 }] })
})

test('sets ERROR after each failed attempt, and creates one order in the end', async () => {
  const id = await createOrder()
  const faults = [
    [{ failNext: 1, status: 500 }, /answered 500/],
    [{ failNext: 1, status: 503 }, /answered 503/],
    [{ malformedNext: 1 }, /without the id/],
    [{ replaceNext: 1, replaceBody: { id: 5 } }, /without the id/],
    [{ loseAnswerNext: 1 }, /^No answer/],
    [{ cutNext: 1 }, /^No answer/],
  ] as const
  for (const [fault, reason] of faults) {
    world.supplier.faults.set(fault)
    expect(await submit(id)).toMatchObject({
      status: 200,
      body: { status: 'ERROR', submitError: expect.stringMatching(reason) },
    })
  }
  expect((await attemptsOf(id)).map(({ outcome }) => outcome)).toEqual(faults.map(() => 'UNCLEAR'))
  expect(await submit(id)).toMatchObject({ body: { status: 'SENT', submitError: null } })
  expect(sentFor(id)).toHaveLength(1)
  expect((await orderRow(id)).external_id).toBe(sentFor(id)[0]?.id)
})

test.each([
  ['an emoji in the middle of what is kept', (id: string) => `${id}${'x'.repeat(5000)}`],
  ['emojis at every place', (id: string) => `${id}${'\u{1F600}'.repeat(2500)}`],
  ['emojis at every other place', (id: string) => `${id}x${'\u{1F600}'.repeat(2500)}`],
  ['what no column takes', (id: string) => `${id}\0\uD83D`],
])('records the supplier’s answer: %s', async (_name, padding) => {
  const id = await createOrder()
  const note = padding(`${'y'.repeat(1970)}\u{1F600}`)
  world.supplier.faults.set({ replaceNext: 1, replaceBody: { id: 'Z-1', note } })
  expect(await submit(id)).toMatchObject({ status: 200, body: { status: 'SENT', externalId: 'Z-1' } })
  const refused = await createOrder()
  const replaceBody = { note: padding('y'.repeat(180)) }
  world.supplier.faults.set({ replaceNext: 1, replaceBody })
  expect(await submit(refused)).toMatchObject({ status: 200, body: { status: 'ERROR' } })
  const stored = JSON.stringify([await attemptsOf(id), await attemptsOf(refused), await orderRow(refused)])
  expect(stored).toContain('yyyy')
  // A lone half is written by JSON.stringify as \\ud83d.
  expect(stored).not.toMatch(/[^\\](\\\\)*\\u(0000|d83d)/i)
})

test('gives up on a silent supplier', async () => {
  const id = await createOrder()
  world.supplier.faults.set({ hangNext: 1, path: 'CreateOrder' })
  const { deps } = world.shop
  const supplier = createSupplierClient({ ...deps.config.supplier, postTimeoutMs: 300 })
  expect(await submitOrder({ ...deps, supplier }, manager, { id })).toMatchObject({
    status: 'ERROR',
    submitError: expect.stringContaining('ETIMEDOUT'),
  })
  expect((await attemptsOf(id)).map(({ outcome }) => outcome)).toEqual(['UNCLEAR'])
})

test('gives up waiting for the supplier before other changes are allowed again', async () => {
  const waited = new AbortController()
  const timeout = vi.spyOn(AbortSignal, 'timeout').mockReturnValue(waited.signal)
  const { deps } = world.shop
  const supplier = createSupplierClient({ ...deps.config.supplier, requestDelayMs: 3_600_000 })
  const [first, second] = [await createOrder(), await createOrder()]
  await submitOrder({ ...deps, supplier }, manager, { id: first })
  const waiting = submitOrder({ ...deps, supplier }, manager, { id: second })
  await expect.poll(async () => (await attemptsOf(second)).length).toBe(1)
  waited.abort(new Error('too long'))
  expect(await waiting).toMatchObject({ status: 'ERROR', submitError: expect.stringContaining('too long') })
  expect((await attemptsOf(second)).map(({ outcome }) => outcome)).toEqual(['REFUSED'])
  expect(timeout.mock.lastCall?.[0]).toBeLessThan(60_000)
  timeout.mockRestore()
})

/** A supplier that doesn't listen. */
const unreachable = () =>
  createSupplierClient({ ...world.shop.deps.config.supplier, baseUrl: 'http://127.0.0.1:9', requestDelayMs: 0 })

test('logs the status, and stores the reason without credentials', async () => {
  const id = await createOrder()
  const lines: string[] = []
  const log = pino({ level: 'info' }, { write: (line: string) => void lines.push(line) })
  const submitLogged = () => submitOrder({ ...world.shop.deps, log }, manager, { id })
  await submitOrder({ ...world.shop.deps, log, supplier: unreachable() }, manager, { id })
  expect(lines.join('')).toContain('ECONNREFUSED')
  world.supplier.faults.set({ failNext: 1, status: 500 })
  await submitLogged()
  world.supplier.faults.set({ replaceNext: 1, replaceBody: { error: 'bad token: supplier-token' } })
  await submitLogged()
  await submitLogged()
  const logged = lines.join('')
  expect(logged).toContain('"status":500')
  expect(logged).not.toContain('bad token')
  expect(logged).toContain(sentFor(id)[0]?.id)
  const stored = logged + JSON.stringify(await attemptsOf(id)) + JSON.stringify(await details(id))
  expect(stored).toContain('bad token: ***')
  expect(stored).not.toContain('supplier-token')
})
