import { sql } from 'kysely'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { releaseStaleOrders } from '../../../src/services/stock/reservations.ts'
import { createUser, loginAs } from '../../support/accounts.ts'
import { createProduct } from '../../support/factories.ts'
import { availableOf, orderDetails, placeOrder, setSetting } from '../../support/orders.ts'
import { type SupplierShop, startSupplierShop } from '../../support/supplier-shop.ts'

// The reservations of an untouched NEW order expire after `order_hold_hours`.
let world: SupplierShop
let admin: string
let customer: string

beforeAll(async () => {
  world = await startSupplierShop({ RATE_LIMIT_ORDERS: '0' })
  admin = await loginAs(world.shop, 'ADMIN')
  customer = await loginAs(world.shop, 'USER')
  for (const limit of ['order_limit_per_ip', 'order_limit_per_phone']) await setSetting(world.shop, admin, limit, '0')
})
afterAll(() => world.close())
beforeEach(() => holdFor(72))

const holdFor = (hours: number) => setSetting(world.shop, admin, 'order_hold_hours', String(hours))
const run = () => releaseStaleOrders(world.shop.deps)
const available = (productId: number) => availableOf(world.shop, productId)
const change = (id: number, status: string) =>
  world.shop.call('PATCH', `/api/v1/admin/orders/${id}`, { token: admin, body: { status } })

/** An order of two of ten pieces, placed so many hours ago. @param token of its customer; null: anonymous */
async function orderOfTwo(hours: number, token: string | null = customer) {
  const productId = await createProduct(world.shop.deps.db)
  const { id } = await placeOrder(world.shop, [{ productId, quantity: 2 }], { ...(token !== null && { token }) })
  await age(id, hours)
  return { productId, id }
}

async function age(id: number, hours: number): Promise<void> {
  const { db } = world.shop.deps
  const created_at = sql<Date>`now() - ${hours}::float8 * interval '1 hour'`
  await db.updateTable('orders').set({ created_at }).where('id', '=', id).execute()
  await db
    .updateTable('order_history')
    .set({ changed_at: created_at })
    .where('order_id', '=', id)
    .where('from_status', 'is', null)
    .execute()
}

test('releases a NEW order after order_hold_hours', async () => {
  const [old, young] = [await orderOfTwo(72.1), await orderOfTwo(71.9)]
  expect([await available(old.productId), await available(young.productId)]).toEqual([8, 8])
  await run()
  expect([await available(old.productId), await available(young.productId)]).toEqual([10, 8])
  expect((await orderDetails(world.shop, admin, old.id)).status).toBe('NEW')
})

describe('an anonymous order', () => {
  const unconfirmedFor = (hours: number) => setSetting(world.shop, admin, 'order_hold_hours_unconfirmed', String(hours))
  const comment = (id: number) =>
    world.shop.call('PATCH', `/api/v1/admin/orders/${id}`, { token: admin, body: { adminComment: 'Звонили' } })
  afterEach(() => unconfirmedFor(24))

  test('is released after order_hold_hours_unconfirmed, by default 24', async () => {
    const { body } = await world.shop.call('GET', '/api/v1/admin/config/order_hold_hours_unconfirmed', { token: admin })
    expect(body).toMatchObject({ type: 'INTEGER', default: '24', min: 0 })
    const old = await orderOfTwo(24.1, null)
    const young = await orderOfTwo(23.9, null)
    const ofAccount = await orderOfTwo(24.1)
    const ofStaff = await orderOfTwo(24.1, await loginAs(world.shop, 'MANAGER'))
    await run()
    for (const [{ productId }, left] of [
      [old, 10],
      [young, 8],
      [ofAccount, 8],
      [ofStaff, 8],
    ] as const) {
      expect(await available(productId)).toBe(left)
    }
    await holdFor(0)
    await age(young.id, 25)
    await run()
    expect(await available(young.productId)).toBe(10)
  })

  test('is like any other once staff touched it', async () => {
    const { productId, id } = await orderOfTwo(25, null)
    await comment(id)
    await run()
    expect(await available(productId)).toBe(8)
    const changed_at = sql<Date>`now() - interval '73 hours'`
    await world.shop.deps.db.updateTable('orders').set({ created_at: changed_at }).where('id', '=', id).execute()
    await world.shop.deps.db.updateTable('order_history').set({ changed_at }).where('order_id', '=', id).execute()
    await run()
    expect(await available(productId)).toBe(10)
  })

  test('is one no more of an account that was deleted since', async () => {
    const user = await createUser(world.shop, 'USER')
    const { productId } = await orderOfTwo(25, await world.shop.app.signToken(user))
    await world.shop.call('DELETE', `/api/v1/admin/users/${user.id}`, { token: admin })
    await run()
    expect(await available(productId)).toBe(8)
  })

  test('is released at once by a shorter time, and never with 0', async () => {
    const [first, second] = [await orderOfTwo(20, null), await orderOfTwo(10, null)]
    await unconfirmedFor(15)
    expect([await available(first.productId), await available(second.productId)]).toEqual([10, 8])
    await unconfirmedFor(0)
    await age(second.id, 100_000)
    await run()
    expect(await available(second.productId)).toBe(8)
  })
})

test('reserves a stale order again if the stock suffices when staff move it on', async () => {
  const [lucky, late] = [await orderOfTwo(100), await orderOfTwo(100)]
  await run()
  const rival = await placeOrder(world.shop, [{ productId: late.productId, quantity: 9 }])
  expect((await change(lucky.id, 'PROCESSING')).status).toBe(200)
  const refused = await change(late.id, 'PROCESSING')
  expect([refused.status, refused.body]).toMatchObject([
    409,
    {
      code: 'PRODUCT_UNAVAILABLE',
      details: [{ path: 'items.0', reason: 'NOT_ENOUGH', availableQuantity: 1 }],
    },
  ])
  await run()
  expect([await available(lucky.productId), await available(late.productId)]).toEqual([8, 1])
  await change(rival.id, 'CANCELLED')
  expect((await change(late.id, 'ERROR')).status).toBe(200)
  expect(await available(late.productId)).toBe(8)
})

test('submits a stale order only if the stock suffices', async () => {
  world.catalogue.upsertProduct({ id: 'idle-1', name: 'Дрель', price: 10, stock: 10 })
  await world.sync()
  const { id: productId } = await world.shop.deps.db
    .selectFrom('products')
    .select('id')
    .where('external_id', '=', 'idle-1')
    .executeTakeFirstOrThrow()
  const { id } = await placeOrder(world.shop, [{ productId, quantity: 2 }])
  await age(id, 100)
  await run()
  const rival = await placeOrder(world.shop, [{ productId, quantity: 9 }])
  const submit = () => world.shop.call('POST', `/api/v1/admin/orders/${id}/submit`, { token: admin })
  const refused = await submit()
  expect([refused.status, refused.body]).toMatchObject([409, { code: 'PRODUCT_UNAVAILABLE' }])
  expect(world.supplier.orders).toEqual([])
  await change(rival.id, 'CANCELLED')
  expect((await submit()).body).toMatchObject({ status: 'SENT' })
  expect(await available(productId)).toBe(8)
})

test('leaves items added to a stale order unreserved', async () => {
  const { id } = await orderOfTwo(100)
  await run()
  const productId = await createProduct(world.shop.deps.db)
  const body = { productId, quantity: 3 }
  const added = await world.shop.call('POST', `/api/v1/admin/orders/${id}/items`, { token: admin, body })
  expect(added.status).toBe(201)
  expect(await available(productId)).toBe(10)
  await change(id, 'PROCESSING')
  expect(await available(productId)).toBe(7)
})

test.each([[['PROCESSING']], [['ERROR']], [['CANCELLED', 'NEW']], [['SENT', 'NEW']]])(
  'keeps reservations of an old order that staff changed (%j)',
  async (states) => {
    const { productId, id } = await orderOfTwo(1000)
    for (const status of states) expect((await change(id, status)).status).toBe(200)
    await run()
    expect(await available(productId)).toBe(8)
  },
)

test.each([
  ['CANCELLED', 10],
  // The supplier may have it.
  ['SENT', 8],
] as const)('counts the time from the last return to NEW from %s', async (status, left) => {
  const { productId, id } = await orderOfTwo(1000)
  await change(id, status)
  await change(id, 'NEW')
  const changed_at = sql<Date>`now() - interval '73 hours'`
  await world.shop.deps.db.updateTable('order_history').set({ changed_at }).where('order_id', '=', id).execute()
  await run()
  expect(await available(productId)).toBe(left)
})

test('applies a shorter time at once, and never releases with 0', async () => {
  const [first, second] = [await orderOfTwo(50), await orderOfTwo(30)]
  await holdFor(40)
  expect([await available(first.productId), await available(second.productId)]).toEqual([10, 8])
  await holdFor(100)
  await run()
  expect([await available(first.productId), await available(second.productId)]).toEqual([10, 8])
  await age(second.id, 100_000)
  await holdFor(0)
  await run()
  expect(await available(second.productId)).toBe(8)
})

test('releases a thousand orders and skips a locked one', async () => {
  const { productId, id } = await orderOfTwo(100)
  const { db } = world.shop.deps
  await sql`
    with placed as (
      insert into orders (customer_name, customer_phone, created_at)
      select 'Анна', '+7 900', now() - interval '80 hours' from generate_series(1, 1200) returning id)
    insert into order_items (order_id, product_id, product_name, price_at_order, quantity)
    select id, ${productId}, 'Товар', 10, 1 from placed`.execute(db)
  await db.transaction().execute(async (trx) => {
    await trx.selectFrom('orders').select('id').where('id', '=', id).forUpdate().execute()
    await run()
  })
  expect(await available(productId)).toBe(8)
  await run()
  expect(await available(productId)).toBe(10)
})
