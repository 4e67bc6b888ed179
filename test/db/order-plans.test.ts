import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { unknownList } from '../../db/paging.ts'
import { findCartProducts, findShownProducts } from '../../db/queries/catalogue/products.ts'
import { readDashboard } from '../../db/queries/operations/dashboard.ts'
import { findOrdersWithItems, listOrderVersions, type OrderFilter } from '../../db/queries/orders/lists.ts'
import { listFeedProducts } from '../../db/queries/published/feed.ts'
import { ORDER_SORT } from '../../db/tables/orders.ts'
import { createLargeDatabase } from '../support/database.ts'
import { type OverheardDatabase, overhear, readsOf } from '../support/statements.ts'

// Fifty thousand products, thirty thousand orders, ninety thousand lines of which a tenth holds.
let database: Awaited<ReturnType<typeof createLargeDatabase>>
let shop: OverheardDatabase
let categories: number[]

beforeAll(async () => {
  database = await createLargeDatabase()
  shop = overhear(database.url)
  categories = (await shop.db.selectFrom('categories').select('id').execute()).map(({ id }) => id)
  await sql`
    insert into users (name, email, password_hash, role)
    select 'Buyer ' || n, 'buyer-' || n || '@example.test', '', 'USER' from generate_series(1, 1000) n`.execute(
    shop.db,
  )
  await sql`
    insert into orders (status, customer_name, customer_phone, customer_email, user_id, created_at)
    select case when n % 10 = 0 then 'NEW' else 'COMPLETED' end, 'Покупатель ' || md5(n::text),
      '+7 9' || lpad((n * 7919 % 1000000000)::text, 9, '0'), md5(n::text) || '@example.test', 1 + n % 1000,
      now() - n * interval '10 minutes'
    from generate_series(1, 30000) n`.execute(shop.db)
  await sql`
    insert into order_items (order_id, product_id, product_name, price_at_order, quantity, holding)
    select 1 + n % 30000, 1 + n * 31 % 50000, 'Product', 10, 1, n % 10 = 0 from generate_series(1, 90000) n`.execute(
    shop.db,
  )
  for (const table of ['users', 'orders', 'order_items']) {
    await sql`vacuum analyze ${sql.table(table)}`.execute(shop.db)
  }
}, 120_000)
afterAll(async () => {
  await shop.close()
  await database.drop()
})

async function msOf(work: () => Promise<unknown>): Promise<number> {
  const begun = performance.now()
  await work()
  return performance.now() - begun
}

test('what is held is looked up in the index of holding lines, product by product', async () => {
  for (const find of [findShownProducts, findCartProducts]) {
    const [plan] = await shop.plansOf((db) => find(db, [1, 2, 3]))
    expect(readsOf(plan)).toContain('Index Only Scan order_items_holding')
    expect(readsOf(plan)).not.toContain('Seq Scan products')
  }
})

test('reservations cost a page of products, and a page of the feed, next to nothing', async () => {
  const ids = Array.from({ length: 100 }, (_, n) => 1 + n * 400)
  const page = { limit: 100, visibleCategories: categories, mostImages: 10, mostAttributes: 100 }
  const feedPage = () => listFeedProducts(shop.db, { ...page, after: 25_000, descriptionLength: 3000 })
  for (const read of [() => findShownProducts(shop.db, ids), feedPage]) {
    const times: number[] = []
    for (let n = 0; n < 5; n++) times.push(await msOf(read))
    // Some milliseconds; a scan of all lines for each product would take seconds.
    expect(Math.min(...times)).toBeLessThan(300)
  }
})

const filters: [string, OrderFilter][] = [
  ['nothing', {}],
  ['a status', { status: 'NEW' }],
  ['a day', { from: new Date(Date.now() - 3 * 86_400_000), until: new Date(Date.now() - 2 * 86_400_000) }],
  ['a user', { userId: 7 }],
]
const sorts = Object.values(ORDER_SORT).flatMap((columns) => [
  { columns, descending: false },
  { columns, descending: true },
])

const firstPage = { page: 0, size: 20 }

test.each(filters)('pages of orders with %s read no whole table, however sorted', async (_name, filter) => {
  for (const sort of sorts) {
    const [page] = await shop.plansOf((db) => listOrderVersions(db, filter, sort, firstPage))
    const whole = readsOf(page).filter((step) => step.startsWith('Seq Scan'))
    expect([sort, page?.length === 0, whole]).toEqual([sort, false, []])
  }
})

test.each(sorts)('pages by $columns, descending $descending, are found by an index alone', async (sort) => {
  const known = unknownList()
  await listOrderVersions(shop.db, {}, sort, { page: 700, size: 20 }, known)
  expect(known).toMatchObject({ total: 30_000, marks: [{ place: 14_000 }] })
  const index = { created_at: 'orders_created_at', id: 'orders_pkey', status: 'orders_status' }[
    sort.columns[0]
  ]
  for (const page of [0, 699, 701]) {
    // The total is known: one statement.
    const plans = await shop.plansOf((db) => listOrderVersions(db, {}, sort, { page, size: 20 }, known))
    expect(plans).toHaveLength(1)
    const reads = readsOf(plans[0])
    expect(reads.filter((step) => step.startsWith('Index Only Scan'))).toEqual([`Index Only Scan ${index}`])
    expect(reads.filter((step) => step.startsWith('Seq Scan'))).toEqual([])
  }
})

test('orders and their lines are read by their keys', async () => {
  const [plan] = await shop.plansOf((db) => findOrdersWithItems(db, [1, 2, 29_000]))
  const reads = readsOf(plan)
  expect(reads).not.toEqual([])
  expect(reads.filter((step) => step.startsWith('Seq Scan'))).toEqual([])
})

test('what pages tell of a list changes nothing of its other pages', async () => {
  for (const [, filter] of filters) {
    for (const sort of sorts) {
      const known = unknownList()
      for (const [page, size] of [
        [11, 37],
        [12, 37],
        [3, 100],
        [70, 7],
        [25, 20],
        [9999, 20],
        [299, 100],
        [4, 100],
      ] as const) {
        const told = await listOrderVersions(shop.db, filter, sort, { page, size }, known)
        expect([page, told]).toEqual([page, await listOrderVersions(shop.db, filter, sort, { page, size })])
      }
    }
  }
})

test('a search goes by the trigrams, and so does its count', async () => {
  // Behind the last page, which would tell how many there are.
  const beyond = { page: 9, size: 20 }
  for (const text of ['79001234567', 'покупатель 45c48', 'c4ca4238@example']) {
    const plans = await shop.plansOf((db) =>
      listOrderVersions(
        db,
        { searchTexts: [text] },
        { columns: ORDER_SORT.createdAt, descending: true },
        beyond,
      ),
    )
    expect(plans).toHaveLength(2)
    for (const plan of plans) expect(readsOf(plan)).toContain('Bitmap Index Scan orders_search_text')
  }
})

test('the dashboard is one statement that reads neither orders nor their lines nor products as a whole', async () => {
  const ago = (days: number) => new Date(Date.now() - days * 86_400_000)
  // Of a seventh of all lines it would rather read all; a shop that has been there for years sells less of them.
  const plans = await shop.plansOf((db) =>
    readDashboard(db, { today: ago(0.5), days7: ago(2), days30: ago(4) }),
  )
  expect(plans).toHaveLength(1)
  const reads = readsOf(plans[0])
  expect(reads.filter((step) => /^Seq Scan (orders|order_items|products)$/.test(step))).toEqual([])
  for (const index of ['orders_status', 'order_items_order', 'products_active', 'products_without_price']) {
    expect(reads).toContain(`Index Only Scan ${index}`)
  }
  expect(reads.some((step) => step.endsWith(' mails_failed'))).toBe(true)
})
