import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Db } from '../../../../db/database.ts'
import { findProducts } from '../../../../db/queries/catalogue/products.ts'
import { readDashboard } from '../../../../db/queries/operations/dashboard.ts'
import { listItemsByOrder } from '../../../../db/queries/orders/items.ts'
import { countOrders, listOrders, type OrderFilter } from '../../../../db/queries/orders/orders.ts'
import { listFeedProducts } from '../../../../db/queries/published/contents.ts'
import { findOffers } from '../../../../db/queries/stock/reservations.ts'
import { ORDER_SORT } from '../../../../db/tables/orders.ts'
import { snakeCase } from '../../../../src/rules/text.ts'
import { createLargeDatabase, vacuum } from '../../../support/database.ts'
import { type OverheardDatabase, overhear, readsOf } from '../../../support/statements.ts'

// Fifty thousand products, ten thousand orders, thirty thousand lines of which a tenth reserves stock.
let database: Awaited<ReturnType<typeof createLargeDatabase>>
let shop: OverheardDatabase
let categories: number[]

beforeAll(async () => {
  database = await createLargeDatabase()
  shop = overhear(database.url)
  categories = (await shop.db.selectFrom('categories').select('id').execute()).map(({ id }) => id)
  const { db } = shop
  await sql`
    insert into users (name, email, password_hash, role)
    select 'Buyer ' || n, 'buyer-' || n || '@example.test', '', 'USER' from generate_series(1, 1000) n`.execute(db)
  await sql`
    insert into orders (status, customer_name, customer_phone, customer_email, user_id, created_at)
    select case when n % 10 = 0 then 'NEW' else 'COMPLETED' end, 'Покупатель ' || md5(n::text),
      '+7 9' || lpad((n * 7919 % 1000000000)::text, 9, '0'), md5(n::text) || '@example.test', 1 + n % 1000,
      now() - n * interval '30 minutes'
    from generate_series(1, 10000) n`.execute(db)
  await sql`
    insert into order_items (order_id, product_id, product_name, price_at_order, quantity, holding)
    select 1 + n % 10000, 1 + n * 31 % 50000, 'Product', 10, 1, n % 10 = 0 from generate_series(1, 30000) n`.execute(db)
  await vacuum(db, 'users', 'orders', 'order_items')
})
afterAll(async () => {
  await shop.close()
  await database.drop()
})

test('looks up reservations by product in their index', async () => {
  for (const read of [
    (db: Db) => findProducts(db, [1, 2, 3]),
    (db: Db) => findOffers(db, [1, 2, 3]),
    (db: Db) => listFeedProducts(db, categories, 25_000),
  ]) {
    const [plan] = await shop.plansOf(read)
    expect(readsOf(plan)).toContain('Index Only Scan order_items_holding')
    expect(readsOf(plan)).not.toContain('Seq Scan products')
  }
})

const filters: [string, OrderFilter][] = [
  ['a status', { statuses: ['NEW'] }],
  ['a day', { from: new Date(Date.now() - 3 * 86_400_000), until: new Date(Date.now() - 2 * 86_400_000) }],
  ['a user', { userId: 7 }],
]
const sorts = ORDER_SORT.flatMap((field) => [
  { field, descending: false },
  { field, descending: true },
])

const firstPage = { page: 0, size: 20 }

test.each(sorts)('reads a page by $field, descending $descending, from its index', async (sort) => {
  const index = sort.field === 'id' ? 'orders_pkey' : `orders_${snakeCase(sort.field)}`
  const plans = await shop.plansOf((db) => listOrders(db, {}, sort, firstPage))
  expect(plans).toHaveLength(1)
  expect(readsOf(plans[0])).toContain(`Index Scan ${index}`)
})

test.each(filters)('scans no table for a page of orders with %s and its total', async (_name, filter) => {
  for (const sort of sorts) {
    const [plan] = await shop.plansOf((db) => listOrders(db, filter, sort, firstPage))
    expect([sort, readsOf(plan).filter((step) => step.startsWith('Seq Scan'))]).toEqual([sort, []])
  }
})

test('reads the lines of a page by order', async () => {
  const [plan] = await shop.plansOf((db) => listItemsByOrder(db, [1, 2, 9000]))
  expect(readsOf(plan)).toEqual(['Index Scan order_items_order'])
})

test.each([
  ['the first page', 0, 20],
  ['a page behind the last one', 1_000_000, 0],
])('returns the total with %s', async (_name, page, length) => {
  const newestFirst = { field: 'createdAt', descending: true } as const
  const { rows, total } = await listOrders(shop.db, {}, newestFirst, { page, size: 20 })
  expect([rows.length, total]).toEqual([length, 10_000])
})

test('searches and counts by the trigram index', async () => {
  for (const text of ['79001234567', 'покупатель 45c48', 'c4ca4238@example']) {
    const sort = { field: 'createdAt', descending: true } as const
    const [plan] = await shop.plansOf((db) => listOrders(db, { searchTexts: [text] }, sort, firstPage))
    const reads = readsOf(plan).filter((step) => step === 'Bitmap Index Scan orders_search_text')
    expect([text, reads.length]).toEqual([text, 2])
  }
})

test('reads the dashboard in one statement, products once, and orders by an index', async () => {
  const plans = await shop.plansOf((db) => readDashboard(db))
  expect(plans).toHaveLength(1)
  const reads = readsOf(plans[0])
  expect(reads.filter((step) => step.startsWith('Seq Scan'))).toEqual(['Seq Scan products'])
  expect(reads.some((step) => step.endsWith(' mails_failed'))).toBe(true)
  const counts = await shop.plansOf((db) => countOrders(db, {}))
  expect(counts.flatMap(readsOf)).toEqual(['Index Only Scan orders_status'])
})
