import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Trx } from '../../../db/database.ts'
import { releaseListed } from '../../../db/queries/stock/reservations.ts'
import { rebuild } from '../../../src/services/published/publishing.ts'
import { loginAs } from '../../support/accounts.ts'
import { createCategory, createProduct } from '../../support/factories.ts'
import { untilWaiting, whileLocked } from '../../support/locks.ts'
import { availableOf, orderDetails, placeOrder, setSetting } from '../../support/orders.ts'
import { startTestShop, type TestShop } from '../../support/shop.ts'
import { overhear, readsOf } from '../../support/statements.ts'

// docs/orders.md, "Reservations".
let shop: TestShop
let admin: string

beforeAll(async () => {
  shop = await startTestShop({ RATE_LIMIT_ORDERS: '0' }, { publishes: true })
  admin = await loginAs(shop, 'ADMIN')
})
afterAll(() => shop.close())

const change = (id: number, status: string) =>
  shop.call('PATCH', `/api/v1/admin/orders/${id}`, { token: admin, body: { status } })

/** An order of two of ten pieces. */
async function orderOfTwo() {
  const productId = await createProduct(shop.deps.db)
  const { id } = await placeOrder(shop, [{ productId, quantity: 2 }])
  return { productId, id }
}

/** What the sync does when it has read the supplier's stock. */
function release(id: number) {
  return shop.deps.db.updateTable('order_items').set({ holding: false }).where('order_id', '=', id).execute()
}

test.each([
  [['PROCESSING'], 8],
  [['ERROR'], 8],
  [['SENT'], 8],
  [['SENT', 'COMPLETED'], 8],
  [['SENT', 'ARCHIVED'], 8],
  [['SENT', 'COMPLETED', 'ARCHIVED'], 8],
  [['COMPLETED'], 10],
  [['ARCHIVED'], 10],
  [['PROCESSING', 'COMPLETED'], 10],
  [['ERROR', 'ARCHIVED'], 10],
  [['CANCELLED'], 10],
  [['SENT', 'CANCELLED'], 8],
  [['SENT', 'COMPLETED', 'CANCELLED'], 8],
  [['CANCELLED', 'NEW'], 8],
  [['COMPLETED', 'PROCESSING'], 8],
  [['CANCELLED', 'SENT'], 8],
  [['COMPLETED', 'SENT', 'ARCHIVED'], 8],
  [['SENT', 'NEW', 'CANCELLED'], 8],
])('leaves after %j %i of ten available', async (states, available) => {
  const { productId, id } = await orderOfTwo()
  for (const status of states) expect((await change(id, status)).status).toBe(200)
  expect(await availableOf(shop, productId)).toBe(available)
})

test('keeps lines released by a sync until the order is sent or reopened', async () => {
  const { productId, id } = await orderOfTwo()
  await change(id, 'SENT')
  await release(id)
  await change(id, 'SENT')
  await change(id, 'COMPLETED')
  expect(await availableOf(shop, productId)).toBe(10)
  await change(id, 'PROCESSING')
  expect(await availableOf(shop, productId)).toBe(8)
  await release(id)
  await change(id, 'SENT')
  expect(await availableOf(shop, productId)).toBe(8)
})

test('reserves without a check for SENT, and with one for a reopened order', async () => {
  const { productId, id } = await orderOfTwo()
  await change(id, 'CANCELLED')
  const rival = await placeOrder(shop, [{ productId, quantity: 9 }])
  expect((await change(id, 'SENT')).status).toBe(200)
  expect(await availableOf(shop, productId)).toBe(0)
  const answer = await change(id, 'NEW')
  expect([answer.status, answer.body]).toMatchObject([
    409,
    { details: [{ path: 'items.0', reason: 'NOT_ENOUGH', availableQuantity: 1 }] },
  ])
  await change(rival.id, 'CANCELLED')
  expect((await change(id, 'NEW')).status).toBe(200)
  expect(await availableOf(shop, productId)).toBe(8)
})

test('reserves products of the shop itself while their order is open or SENT', async () => {
  const productId = await createProduct(shop.deps.db, { externalId: null })
  const { id } = await placeOrder(shop, [{ productId, quantity: 2 }])
  await change(id, 'SENT')
  expect(await availableOf(shop, productId)).toBe(8)
  await change(id, 'COMPLETED')
  expect(await availableOf(shop, productId)).toBe(10)
  await change(id, 'SENT')
  expect(await availableOf(shop, productId)).toBe(8)
  await shop.call('DELETE', `/api/v1/admin/orders/${id}`, { token: admin })
  expect(await availableOf(shop, productId)).toBe(10)
})

test.each(['deleted', 'deleted with others', 'short of the item', 'short of one piece'] as const)(
  'what may have been sent is held though its order is %s',
  async (way) => {
    const { productId, id } = await orderOfTwo()
    const other = await createProduct(shop.deps.db)
    await change(id, 'SENT')
    await change(id, 'NEW')
    const items = `/api/v1/admin/orders/${id}/items`
    await shop.call('POST', items, { token: admin, body: { productId: other, quantity: 1 } })
    if (way === 'short of the item') {
      const [item] = (await orderDetails(shop, admin, id)).items
      expect((await shop.call('DELETE', `${items}/${item?.id}`, { token: admin })).status).toBe(200)
      expect((await orderDetails(shop, admin, id)).items).toMatchObject([{ productId: other }])
    } else if (way === 'short of one piece') {
      const [item] = (await orderDetails(shop, admin, id)).items
      const fewer = { token: admin, body: { quantity: 1 } }
      expect((await shop.call('PATCH', `${items}/${item?.id}`, fewer)).status).toBe(200)
    } else if (way === 'deleted') {
      await shop.call('DELETE', `/api/v1/admin/orders/${id}`, { token: admin })
    } else {
      await shop.deps.db
        .updateTable('orders')
        .set({ created_at: new Date('2020-01-01') })
        .where('id', '=', id)
        .execute()
      const answer = await shop.call('DELETE', '/api/v1/admin/orders/bulk-delete?days=365', { token: admin })
      expect(answer.body).toEqual({ deleted: 1 })
    }
    expect(await availableOf(shop, productId)).toBe(8)
  },
)

test('reserves nothing of a deleted order whose goods were read', async () => {
  const { productId, id } = await orderOfTwo()
  await change(id, 'SENT')
  await release(id)
  await change(id, 'COMPLETED')
  await shop.call('DELETE', `/api/v1/admin/orders/${id}`, { token: admin })
  expect(await availableOf(shop, productId)).toBe(10)
})

test('releases an order that was never sent when it is deleted', async () => {
  const { productId, id } = await orderOfTwo()
  await change(id, 'ERROR')
  await shop.call('DELETE', `/api/v1/admin/orders/${id}`, { token: admin })
  expect(await availableOf(shop, productId)).toBe(10)
})

test('reopens an order only if the stock suffices', async () => {
  const plenty = await createProduct(shop.deps.db)
  const scarce = await createProduct(shop.deps.db, { stock: 3 })
  const lines = [plenty, scarce].map((productId) => ({ productId, quantity: 2 }))
  const { id } = await placeOrder(shop, lines)
  await change(id, 'CANCELLED')
  const rival = await placeOrder(shop, [{ productId: scarce, quantity: 2 }])
  const refused = await change(id, 'NEW')
  expect([refused.status, refused.body]).toMatchObject([
    409,
    {
      code: 'PRODUCT_UNAVAILABLE',
      details: [{ path: 'items.1', reason: 'NOT_ENOUGH', availableQuantity: 1 }],
    },
  ])
  const { status, history } = await orderDetails(shop, admin, id)
  expect([status, history.length, await availableOf(shop, plenty)]).toEqual(['CANCELLED', 2, 10])

  await setSetting(shop, admin, 'order_allow_backorder', 'true')
  expect((await change(id, 'NEW')).status).toBe(200)
  await setSetting(shop, admin, 'order_allow_backorder', 'false')
  expect(await availableOf(shop, scarce)).toBe(0)
  await change(rival.id, 'CANCELLED')
  expect(await availableOf(shop, scarce)).toBe(1)
})

test('refuses to reserve a line of a deleted product again', async () => {
  const { productId, id } = await orderOfTwo()
  await change(id, 'CANCELLED')
  await shop.deps.db.deleteFrom('products').where('id', '=', productId).execute()
  expect((await change(id, 'NEW')).body).toMatchObject({
    details: [{ path: 'items.0', message: 'This product is no longer sold' }],
  })
})

test('stores the time of the change to SENT once', async () => {
  const { id } = await orderOfTwo()
  const sentAt = async () =>
    (await shop.deps.db.selectFrom('orders').select('sent_at').where('id', '=', id).executeTakeFirstOrThrow()).sent_at
  expect(await sentAt()).toBeNull()
  const before = Date.now()
  await change(id, 'SENT')
  const sent = await sentAt()
  expect(sent?.getTime()).toBeGreaterThanOrEqual(before)
  await change(id, 'SENT')
  await change(id, 'COMPLETED')
  expect(await sentAt()).toEqual(sent)
})

test('shows in the feed that the last piece is reserved', async () => {
  const categoryId = await createCategory(shop.deps.db)
  const productId = await createProduct(shop.deps.db, { categoryId, stock: 1 })
  const offer = async () => {
    await rebuild(shop.deps, 'feed')
    const { text } = await shop.call('GET', '/api/v1/yml-catalog.xml')
    return /<offer [^>]*>/.exec(text.slice(text.indexOf(`<offer id="${productId}"`)))?.[0]
  }
  expect(await offer()).toContain('available="true"')
  const { id } = await placeOrder(shop, [{ productId, quantity: 1 }])
  expect(await offer()).toContain('available="false"')
  await change(id, 'CANCELLED')
  expect(await offer()).toContain('available="true"')
})

test('keeps an order that is reopened while its lines are released, whichever comes first', async () => {
  const { db } = shop.deps
  const productId = await createProduct(db, { externalId: 'reopened' })
  const { id } = await placeOrder(shop, [{ productId, quantity: 2 }])
  const released = (trx: Trx) => releaseListed(trx, ['reopened'], new Date(Date.now() + 60_000))
  const orderLocked = (trx: Trx) => sql`select from orders where id = ${id} for update`.execute(trx)
  for (const lock of [released, orderLocked]) {
    await change(id, 'SENT')
    const { reopening } = await whileLocked(db, lock, async () => {
      const answer = change(id, 'NEW')
      await untilWaiting(db)
      if (lock === orderLocked) expect(await db.transaction().execute(released)).toEqual([])
      return { reopening: answer }
    })
    expect((await reopening).status).toBe(200)
    expect(await availableOf(shop, productId)).toBe(8)
  }
})

test('scans no table for a page without reservations', async () => {
  const { db, config } = shop.deps
  await sql`
    insert into products (external_id, name, slug, price, stock)
    select 'plan-' || n, 'Товар ' || n, 'plan-' || n, 10, 5 from generate_series(1, 5000) n`.execute(db)
  await sql`
    insert into orders (status, customer_name, customer_phone, sent_at)
    select case when n % 50 = 0 then 'NEW' else 'SENT' end, 'Анна', '+7 900', now() - n * interval '1 minute'
    from generate_series(1, 5000) n`.execute(db)
  await sql`
    insert into order_items (order_id, product_id, product_external_id, product_name, price_at_order, quantity, holding)
    select o.id, p.id, p.external_id, p.name, 10, 1, o.status = 'NEW'
    from orders o join products p on p.external_id = 'plan-' || (1 + o.id % 5000)`.execute(db)
  await sql`analyze orders, order_items, products`.execute(db)
  const overheard = overhear(config.databaseUrl)
  const ids = Array.from({ length: 100 }, (_, index) => `plan-${index * 49 + 1}`)
  const plans = await overheard.plansOf((own) =>
    own.transaction().execute(async (trx) => expect(await releaseListed(trx, ids, new Date())).toEqual([])),
  )
  expect(plans.flatMap(readsOf).filter((read) => /^Seq Scan (orders|order_items|products)$/.test(read))).toEqual([])
  await overheard.close()
})
