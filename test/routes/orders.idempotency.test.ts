import { hash } from 'node:crypto'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { purge } from '../../src/services/operations/jobs.ts'
import { loginAs } from '../support/accounts.ts'
import { createProduct } from '../support/factories.ts'
import { availableOf, placeOrder, placeTracked, sendOrder } from '../support/orders.ts'
import { startTestShop, type TestShop } from '../support/shop.ts'

// Idempotency-Key, and the limit of requests.
let shop: TestShop
let productId: number

beforeAll(async () => {
  shop = await startTestShop({ RATE_LIMIT_ORDERS: '0' })
  productId = await createProduct(shop.deps.db, { stock: 1000 })
})
afterAll(() => shop.close())

const one = () => [{ productId, quantity: 1 }]

test('returns the current state of the first order for the same key and body', async () => {
  const before = await availableOf(shop, productId)
  const first = await placeTracked(shop, one(), { key: 'a key' })
  const again = await sendOrder(shop, one(), { key: 'a key', fields: { customerName: ' Анна  Ёлкина ' } })
  expect([again.status, again.body]).toEqual([201, first])
  expect(await availableOf(shop, productId)).toBe(before - 1)
})

test('a repeat after an upgrade finds the key of the order that 0.1.0 has placed', async () => {
  const fields = {
    comment: 'После шести',
    deliveryAddress: 'Тверь',
    deliveryMethod: 'Курьер',
    customerEmail: 'anna@example.com',
  }
  const before = await placeTracked(shop, one(), { key: 'over an upgrade', fields })
  const row = await shop.deps.db
    .selectFrom('order_idempotency_keys')
    .selectAll()
    .where('order_id', '=', before.id)
    .executeTakeFirstOrThrow()
  expect(row.key).toBe(hash('sha256', JSON.stringify(['anonymous', 'over an upgrade'])))
  const stored = {
    customer: {
      customer_name: 'Анна Ёлкина',
      customer_phone: '+7 (900) 123-45-67',
      customer_email: 'anna@example.com',
      delivery_method: 'Курьер',
      delivery_address: 'Тверь',
      comment: 'После шести',
    },
    lines: [{ productId, quantity: 1, index: 0 }],
  }
  expect(row.request_hash).toBe(hash('sha256', JSON.stringify(stored)))
})

test.each([
  ['quantity', [{ productId: 0, quantity: 2 }], {}],
  ['customer', [{ productId: 0, quantity: 1 }], { customerPhone: '555-55' }],
])('rejects another %s with the same key with 409', async (name, items, fields) => {
  await placeOrder(shop, one(), { key: `reused ${name}` })
  const answer = await sendOrder(
    shop,
    items.map((item) => ({ ...item, productId })),
    { key: `reused ${name}`, fields },
  )
  expect([answer.status, answer.body]).toMatchObject([409, { code: 'IDEMPOTENCY_KEY_REUSED' }])
})

test('scopes a key to its caller', async () => {
  const first = await loginAs(shop, 'USER')
  const second = await loginAs(shop, 'USER')
  const ids = new Set<number>()
  for (const options of [{}, { token: first }, { token: second }, { token: first }]) {
    ids.add((await placeOrder(shop, one(), { key: 'shared', ...options })).id)
  }
  expect(ids.size).toBe(3)
})

test('does not use up the key of a refused order', async () => {
  const scarce = await createProduct(shop.deps.db, { stock: 0 })
  const items = [{ productId: scarce, quantity: 1 }]
  expect((await sendOrder(shop, items, { key: 'refused' })).status).toBe(409)
  await shop.deps.db.updateTable('products').set({ stock: 1 }).where('id', '=', scarce).execute()
  expect((await sendOrder(shop, items, { key: 'refused' })).status).toBe(201)
})

test('expires a key after a day', async () => {
  const { db } = shop.deps
  const age = (interval: string) =>
    db
      .updateTable('order_idempotency_keys')
      .set({ created_at: sql<Date>`now() - ${interval}::interval` })
      .where('order_id', '=', first.id)
      .execute()
  const first = await placeOrder(shop, one(), { key: 'old' })
  await age('23 hours 59 minutes')
  await purge(shop.deps)
  expect((await placeOrder(shop, one(), { key: 'old' })).id).toBe(first.id)
  await age('24 hours 1 minute')
  const items = [{ productId, quantity: 2 }]
  const next = await placeOrder(shop, items, { key: 'old' })
  expect(next.id).not.toBe(first.id)
  expect((await placeOrder(shop, items, { key: 'old' })).id).toBe(next.id)
  await db.updateTable('order_idempotency_keys').set({ created_at: sql<Date>`now() - interval '25 hours'` }).execute()
  await purge(shop.deps)
  expect(await db.selectFrom('order_idempotency_keys').selectAll().execute()).toEqual([])
})

test('places no second order for the key of a deleted one', async () => {
  const token = await loginAs(shop, 'ADMIN')
  const first = await placeOrder(shop, one(), { key: 'deleted' })
  await shop.call('DELETE', `/api/v1/admin/orders/${first.id}`, { token })
  const answer = await sendOrder(shop, one(), { key: 'deleted' })
  expect([answer.status, answer.body]).toMatchObject([409, { code: 'IDEMPOTENCY_KEY_REUSED' }])
})

test.each([
  ['', 400],
  ['x'.repeat(201), 400],
  ['ключ'.normalize(), 400],
  ['x'.repeat(200), 201],
])('responds to the key "%s" with %i', async (key, status) => {
  // Headers are bytes: what is not ASCII arrives as Latin-1.
  const header = Buffer.from(key).toString('latin1')
  expect((await sendOrder(shop, one(), { key: header })).status).toBe(status)
})

test('limits the orders of an address, refused ones included', async () => {
  const limited = await startTestShop({ RATE_LIMIT_ORDERS: '3' })
  try {
    const answers = []
    for (let n = 0; n < 4; n++) answers.push(await sendOrder(limited, []))
    expect(answers.map(({ status }) => status)).toEqual([400, 400, 400, 429])
    expect(answers[3]?.body).toMatchObject({ code: 'RATE_LIMITED' })
    expect(Number(answers[3]?.headers.get('retry-after'))).toBeGreaterThan(0)
  } finally {
    await limited.close()
  }
})
