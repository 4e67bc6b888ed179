import type { Compilable } from 'kysely'
import { sql } from 'kysely'
import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { connectionSettings, openDatabase } from '../../db/database.ts'
import { findCartProducts, findProducts } from '../../db/queries/catalogue/products.ts'
import { matchOrders, type OrderFilter, type OrderSort, orderPage } from '../../db/queries/orders/lists.ts'
import { listFeedProducts } from '../../db/queries/published/feeds.ts'
import { createLargeDatabase } from '../support/database.ts'

// Fifty thousand products, thirty thousand orders, ninety thousand lines of which a tenth holds.
let database: Awaited<ReturnType<typeof createLargeDatabase>>
let shop: ReturnType<typeof openDatabase>
let client: pg.Client
let categories: number[]

beforeAll(async () => {
  database = await createLargeDatabase()
  shop = openDatabase(database.url, () => {})
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
  client = new pg.Client(connectionSettings(database.url))
  await client.connect()
}, 120_000)
afterAll(async () => {
  await client.end()
  await shop.close()
  await database.drop()
})

type Plan = { 'Node Type': string; 'Relation Name'?: string; 'Index Name'?: string; Plans?: Plan[] }

async function planOf(query: Compilable): Promise<string[]> {
  const { sql: text, parameters } = query.compile()
  const { rows } = await client.query(`explain (format json) ${text}`, [...parameters])
  const nodes: Plan[] = [rows[0]['QUERY PLAN'][0].Plan]
  for (const node of nodes) nodes.push(...(node.Plans ?? []))
  return nodes.map((node) =>
    `${node['Node Type']} ${node['Index Name'] ?? node['Relation Name'] ?? ''}`.trim(),
  )
}

async function msOf(work: () => Promise<unknown>): Promise<number> {
  const begun = performance.now()
  await work()
  return performance.now() - begun
}

test('what is held is looked up in the index of holding lines, product by product', async () => {
  for (const query of [findProducts(shop.db, [1, 2, 3]), findCartProducts(shop.db, [1, 2, 3])]) {
    const plan = await planOf(query)
    expect(plan).toContain('Index Only Scan order_items_holding')
    expect(plan.filter((node) => node.startsWith('Seq Scan'))).not.toContain('Seq Scan products')
  }
})

test('reservations cost a page of products, and a page of the feed, next to nothing', async () => {
  const ids = Array.from({ length: 100 }, (_, n) => 1 + n * 400)
  const page = { limit: 100, visibleCategories: categories, mostImages: 10, mostAttributes: 100 }
  const feedPage = () => listFeedProducts(shop.db, { ...page, after: 25_000, descriptionLength: 3000 })
  for (const read of [() => findProducts(shop.db, ids).execute(), feedPage]) {
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
const sorts: OrderSort[] = (['createdAt', 'id', 'status'] as const).flatMap((field) => [
  { field, descending: false },
  { field, descending: true },
])

test.each(filters)('pages of orders with %s read no whole table, however sorted', async (_name, filter) => {
  for (const sort of sorts) {
    const plan = await planOf(orderPage(shop.db, filter, sort, { page: 0, size: 20 }))
    expect([sort, plan.filter((node) => node.startsWith('Seq Scan'))]).toEqual([sort, []])
  }
})

test.each(sorts)('the first page by $field, descending $descending, needs no sort', async (sort) => {
  const plan = await planOf(orderPage(shop.db, {}, sort, { page: 0, size: 20 }))
  expect(plan.map((node) => node.replace(/ .*/, ''))).toEqual(['Limit', 'Index'])
})

test('a search goes by the trigrams', async () => {
  for (const text of ['79001234567', 'покупатель 45c48', 'c4ca4238@example']) {
    const filter = { searchTexts: [text] }
    expect(
      await planOf(
        orderPage(shop.db, filter, { field: 'createdAt', descending: true }, { page: 0, size: 20 }),
      ),
    ).toContain('Bitmap Index Scan orders_search_text')
    const count = matchOrders(shop.db, filter).select(({ fn }) => fn.countAll().as('count'))
    expect(await planOf(count)).toContain('Bitmap Index Scan orders_search_text')
  }
})
