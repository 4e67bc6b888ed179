import { setTimeout as delay } from 'node:timers/promises'
import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, expect, onTestFinished, test } from 'vitest'
import { createSupplierClient } from '../../../src/clients/supplier/client.ts'
import type { OrderStatus } from '../../../src/rules/orders/states.ts'
import { submitOrder } from '../../../src/services/orders/submit.ts'
import { startSync } from '../../../src/services/supplier/sync.ts'
import { createUser, loginAs } from '../../support/accounts.ts'
import { createProduct } from '../../support/factories.ts'
import { untilWaiting } from '../../support/locks.ts'
import { availableOf, placeOrder } from '../../support/orders.ts'
import { type SupplierShop, startSupplierShop } from '../../support/supplier-shop.ts'

let world: SupplierShop
let token: string
let count = 0

beforeAll(async () => {
  world = await startSupplierShop()
  token = await loginAs(world.shop, 'MANAGER')
})
beforeEach(() => {
  world.supplier.faults.reset()
  world.supplier.rawProducts.length = 0
})
afterAll(() => world.close())

type Sold = { externalId: string; id: number }

/** Products of the supplier's, ten in stock, that the shop has read. */
async function sellSeveral(howMany: number): Promise<Sold[]> {
  const externalIds = Array.from({ length: howMany }, () => `held-${++count}`)
  for (const id of externalIds) {
    world.catalogue.upsertProduct({ id, name: `Товар ${id}`, price: 10, stock: 10 })
  }
  expect((await world.sync()).status).toBe('SUCCEEDED')
  // The supplier's time is in whole seconds: changes of the last one would be listed again.
  for (const { id } of [...world.catalogue.products]) {
    world.catalogue.upsertProduct({ id, updatedAt: Date.now() - 60_000 })
  }
  const rows = await world.shop.deps.db
    .selectFrom('products')
    .select(['id', 'external_id as externalId'])
    .where('external_id', 'in', externalIds)
    .orderBy('id')
    .execute()
  return rows.map(({ id, externalId }) => ({ id, externalId: externalId ?? '' }))
}
async function sell(): Promise<Sold> {
  const [sold] = await sellSeveral(1)
  if (sold === undefined) throw new Error('The product was not synchronised')
  return sold
}

const available = (id: number) => availableOf(world.shop, id)

const place = async (productId: number, quantity: number) =>
  (await placeOrder(world.shop, [{ productId, quantity }])).id

async function submit(orderId: number): Promise<void> {
  const { body } = await world.shop.call('POST', `/api/v1/admin/orders/${orderId}/submit`, { token })
  expect(body).toMatchObject({ status: 'SENT' })
}

async function holds(orderId: number): Promise<boolean> {
  const { holding } = await world.shop.deps.db
    .selectFrom('order_items')
    .select('holding')
    .where('order_id', '=', orderId)
    .executeTakeFirstOrThrow()
  return holding
}

/** An order straight in the database, sent a second ago. */
async function createOrder(productId: number, externalId: string | null, status: OrderStatus): Promise<number> {
  const { db } = world.shop.deps
  const { id } = await db
    .insertInto('orders')
    .values({
      status,
      customer_name: 'Анна',
      customer_phone: '+7 900',
      sent_at: sql<Date>`clock_timestamp() - interval '1 second'`,
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  await db
    .insertInto('order_items')
    .values({
      order_id: id,
      product_id: productId,
      product_external_id: externalId,
      product_name: 'Товар',
      price_at_order: '10.00',
      quantity: 3,
    })
    .execute()
  return id
}

test('subtracts a sale exactly once from placing to the next read', async () => {
  const { id, externalId } = await sell()
  expect(await available(id)).toBe(10)
  const orderId = await place(id, 3)
  const seen = new Set<number>()
  let done = false
  const watching = (async () => {
    while (!done) {
      seen.add(await available(id))
      await delay(10)
    }
  })()
  await submit(orderId)
  expect(world.catalogue.products.get(externalId)?.stock).toBe(7)
  expect(await holds(orderId)).toBe(true)
  await world.shop.deps.db
    .transaction()
    .execute(async (trx) => {
      // The page waits for the locked row, and none of it may be visible.
      await trx.selectFrom('products').select('id').where('id', '=', id).forUpdate().execute()
      const run = world.sync()
      await untilWaiting(world.shop.deps.db)
      return { run }
    })
    .then(({ run }) => run)
  done = true
  await watching
  expect([...seen]).toEqual([7])
  expect(await holds(orderId)).toBe(false)
  const { stock } = await world.shop.deps.db
    .selectFrom('products')
    .select('stock')
    .where('id', '=', id)
    .executeTakeFirstOrThrow()
  expect([stock, await available(id)]).toEqual([7, 7])
})

test('keeps an order sent during the request of a page reserved until the next run', async () => {
  const { id } = await sell()
  const orderId = await place(id, 3)
  const { deps } = world.shop
  world.supplier.faults.set({ latencyMs: 300, path: 'ListProducts' })
  world.supplier.requests.length = 0
  const run = world.sync()
  await expect.poll(() => world.supplier.requests.filter(({ path }) => path.includes('ListProducts'))).toHaveLength(1)
  // Another instance, which does not wait for the requests of this one.
  const other = { ...deps, supplier: createSupplierClient(deps.config.supplier) }
  expect(await submitOrder(other, await createUser(world.shop, 'MANAGER'), { id: orderId })).toMatchObject({
    status: 'SENT',
  })
  expect((await run).status).toBe('SUCCEEDED')
  expect(await holds(orderId)).toBe(true)
  expect(await available(id)).toBeLessThanOrEqual(7)
  world.supplier.faults.reset()
  await world.sync()
  expect(await holds(orderId)).toBe(false)
  expect(await available(id)).toBe(7)
})

test('keeps an order reserved that may have reached the supplier after the request of a page', async () => {
  const { id } = await sell()
  const orderId = await place(id, 3)
  const { deps } = world.shop
  const gate = () => {
    const [arrived, opened] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    onTestFinished(() => opened.resolve())
    return { arrived, opened }
  }
  const [call, page] = [gate(), gate()]
  const { createOrder, products } = deps.supplier
  const supplier: typeof deps.supplier = {
    ...deps.supplier,
    createOrder: async (...args) => {
      call.arrived.resolve()
      await call.opened.promise
      return createOrder(...args)
    },
    products: async (...args) => {
      const answer = await products(...args)
      page.arrived.resolve()
      await page.opened.promise
      return answer
    },
  }
  world.supplier.faults.set({ loseAnswerNext: 1 })
  const submission = submitOrder({ ...deps, supplier }, await createUser(world.shop, 'MANAGER'), { id: orderId })
  await call.arrived.promise
  await deps.db.deleteFrom('sync_state').execute()
  const { finished } = await startSync({ ...deps, supplier }, 'MANUAL')
  await page.arrived.promise
  call.opened.resolve()
  expect(await submission).toMatchObject({ status: 'ERROR' })
  await world.shop.call('PATCH', `/api/v1/admin/orders/${orderId}`, { token, body: { status: 'CANCELLED' } })
  page.opened.resolve()
  await finished
  expect(await holds(orderId)).toBe(true)
  await syncAll()
  expect(await holds(orderId)).toBe(false)
})

/** A run that asks for everything. */
async function syncAll() {
  await world.shop.deps.db.deleteFrom('sync_state').execute()
  return world.sync()
}

test('releases sent lines only when a run or a full load has read their product', async () => {
  const { id, externalId } = await sell()
  await world.sync()
  const expected: [OrderStatus, boolean][] = [
    ['SENT', false],
    ['COMPLETED', false],
    ['ARCHIVED', false],
    ['CANCELLED', false],
    ['NEW', true],
    ['PROCESSING', true],
    ['ERROR', true],
  ]
  const orders = await Promise.all(expected.map(([status]) => createOrder(id, externalId, status)))
  const run = await world.sync()
  expect(run.types.find(({ syncType }) => syncType === 'PRODUCTS')).toMatchObject({
    seen: 0,
    fullLoad: false,
  })
  expect(await Promise.all(orders.map(holds))).toEqual(expected.map(() => true))
  expect((await syncAll()).status).toBe('SUCCEEDED')
  expect(await Promise.all(orders.map(holds))).toEqual(expected.map(([, holding]) => holding))
  expect(await available(id)).toBe(10 - 9)
})

test('reserves an order set to SENT until its product is read', async () => {
  const { id, externalId } = await sell()
  await world.sync()
  const orderId = await place(id, 3)
  for (const status of ['CANCELLED', 'SENT', 'COMPLETED']) {
    const path = `/api/v1/admin/orders/${orderId}`
    expect((await world.shop.call('PATCH', path, { token, body: { status } })).status).toBe(200)
  }
  await world.sync()
  expect(await available(id)).toBe(7)
  world.catalogue.upsertProduct({ id: externalId, stock: 7 })
  await world.sync()
  expect([await holds(orderId), await available(id)]).toEqual([false, 7])
})

test('reserves goods of a deleted order until they are read, then deletes its lines', async () => {
  const [first, second] = await sellSeveral(2)
  if (first === undefined || second === undefined) throw new Error('There are no products')
  const admin = await loginAs(world.shop, 'ADMIN')
  const sentAndDeleted = async ({ id, externalId }: { id: number; externalId: string }) => {
    const orderId = await createOrder(id, externalId, 'SENT')
    const answer = await world.shop.call('DELETE', `/api/v1/admin/orders/${orderId}`, { token: admin })
    expect(answer.status).toBe(204)
  }
  const leftOver = () =>
    world.shop.deps.db
      .selectFrom('order_items')
      .select(({ fn }) => fn.countAll<number>().as('lines'))
      .where('order_id', 'is', null)
      .executeTakeFirstOrThrow()
  await world.sync()
  await sentAndDeleted(first)
  await sentAndDeleted(second)
  await world.sync()
  expect([await available(first.id), await available(second.id)]).toEqual([7, 7])
  world.catalogue.upsertProduct({ id: first.externalId, stock: 7 })
  await world.sync()
  expect([await available(first.id), await available(second.id)]).toEqual([7, 7])
  expect(await leftOver()).toEqual({ lines: 1 })
  expect((await syncAll()).status).toBe('SUCCEEDED')
  expect(await available(second.id)).toBe(10)
  expect(await leftOver()).toEqual({ lines: 0 })
})

test('releases unlisted products in a full load', async () => {
  const [gone, other] = await sellSeveral(6)
  if (gone === undefined || other === undefined) throw new Error('There are no products')
  const orderId = await createOrder(gone.id, gone.externalId, 'SENT')
  const all = [...world.catalogue.products]
  for (const { id } of all) world.catalogue.products.delete(id)
  expect((await syncAll()).status).toBe('SUCCEEDED')
  expect(await holds(orderId)).toBe(true)
  for (const product of all) if (product.id !== gone.externalId) world.catalogue.upsertProduct(product)
  // The first that misses it may be mistaken.
  await syncAll()
  expect((await syncAll()).status).toBe('SUCCEEDED')
  expect([await holds(orderId), await available(other.id)]).toEqual([false, 10])
})

test('keeps a product reserved whose stock a full load could not read', async () => {
  const products = await sellSeveral(6)
  const [sold] = products
  if (sold === undefined) throw new Error('There are no products')
  const orderId = await createOrder(sold.id, sold.externalId, 'SENT')
  world.catalogue.products.delete(sold.externalId)
  world.supplier.rawProducts.push({ id: sold.externalId, name: 'Товар', price: 10, stock: 'много' })
  const run = await syncAll()
  expect(run).toMatchObject({ status: 'SUCCEEDED', warnings: [] })
  expect([await holds(orderId), await available(sold.id)]).toEqual([true, 7])
  world.catalogue.upsertProduct({ id: sold.externalId, name: 'Товар', price: 10, stock: 7 })
  world.supplier.rawProducts.length = 0
  await syncAll()
  expect([await holds(orderId), await available(sold.id)]).toEqual([false, 7])
})

test('releases only what a failed run has read', async () => {
  const [first, second] = await sellSeveral(2)
  if (first === undefined || second === undefined) throw new Error('There are no products')
  const orders = [
    await createOrder(first.id, first.externalId, 'SENT'),
    await createOrder(second.id, second.externalId, 'SENT'),
  ]
  // The second page names page 2 as the next again.
  const replaceBody = { items: [{ id: first.externalId, name: 'Товар', price: 10, stock: 7 }], nextPage: 2 }
  world.supplier.faults.set({ replaceNext: 2, replaceBody, path: 'ListProducts' })
  expect((await world.sync()).status).toBe('FAILED')
  expect(await Promise.all(orders.map(holds))).toEqual([false, true])
  expect([await available(first.id), await available(second.id)]).toEqual([7, 7])
})

test.each([
  ['its record is skipped', { name: 5, stock: 7 }],
  ['its stock is', { name: 'Товар', price: 10, stock: 'seven' }],
])('keeps reservations of a product while %s', async (_, record) => {
  const { id, externalId } = await sell()
  const orderId = await createOrder(id, externalId, 'SENT')
  world.supplier.rawProducts.push({ id: externalId, ...record })
  const run = await world.sync()
  expect(run.skippedRecords).toMatchObject([{ externalId }])
  world.supplier.rawProducts.length = 0
  await world.sync()
  await world.sync()
  expect(await holds(orderId)).toBe(true)
  world.catalogue.upsertProduct({ id: externalId, stock: 7 })
  await world.sync()
  expect(await holds(orderId)).toBe(false)
  expect(await available(id)).toBe(7)
})

test('keeps products of the shop itself reserved while SENT', async () => {
  const id = await createProduct(world.shop.deps.db, { externalId: null })
  const [sent, completed] = [await createOrder(id, null, 'SENT'), await createOrder(id, null, 'COMPLETED')]
  await syncAll()
  expect([await holds(sent), await holds(completed)]).toEqual([true, false])
})

test('skips orders locked by others during a sync and releases them in the next', async () => {
  const { id, externalId } = await sell()
  const orderId = await createOrder(id, externalId, 'SENT')
  const changeStock = () => world.catalogue.upsertProduct({ id: externalId, stock: 7 })
  await world.shop.deps.db.transaction().execute(async (trx) => {
    await trx.selectFrom('orders').select('id').where('id', '=', orderId).forUpdate().execute()
    changeStock()
    // If it waited, it would wait for this transaction, and fail.
    expect((await world.sync()).status).toBe('SUCCEEDED')
  })
  expect(await holds(orderId)).toBe(true)
  changeStock()
  await world.sync()
  expect(await holds(orderId)).toBe(false)
})
