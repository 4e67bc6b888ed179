import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Db } from '../../../../db/database.ts'
import { applyBulkEdit } from '../../../../db/queries/catalogue/product-bulk.ts'
import { attachExternalId, lockForDeletion } from '../../../../db/queries/catalogue/product-edits.ts'
import type { BulkChange } from '../../../../src/rules/catalogue/bulk-edit.ts'
import { loginAs } from '../../../support/accounts.ts'
import { createTestDatabase, vacuum } from '../../../support/database.ts'
import { createBrand, createCategory, createManyProducts } from '../../../support/factories.ts'
import { PROCESS_TIMEOUT_MS } from '../../../support/serving-process.ts'
import { startTestShop, type TestShop } from '../../../support/shop.ts'
import { type OverheardDatabase, overhear, readsOf } from '../../../support/statements.ts'

let database: Awaited<ReturnType<typeof createTestDatabase>>
let shop: TestShop
let overheard: OverheardDatabase
let admin: string

beforeAll(async () => {
  database = await createTestDatabase()
  // Without time limits for changes of many products on a busy machine.
  shop = await startTestShop({}, { databaseUrl: database.url, queryTimeoutMs: 2 * PROCESS_TIMEOUT_MS })
  overheard = overhear(database.url)
  const { db } = overheard
  await createManyProducts(db, 10_100, [await createCategory(db)], [await createBrand(db)])
  admin = await loginAs(shop, 'ADMIN')
})
afterAll(async () => {
  await overheard.close()
  await shop.close()
  await database.drop()
})

async function bulk(body: object, query = ''): Promise<{ status: number; body: unknown }> {
  const answer = await shop.call('PATCH', `/api/v1/products${query}`, { token: admin, body })
  return { status: answer.status, body: answer.body }
}

test('changes ten thousand products as the dry run predicted', async () => {
  const ids = Array.from({ length: 10_000 }, (_, n) => n + 1)
  const tag = await shop.deps.db
    .insertInto('tags')
    .values({ name: 'bulk', slug: 'bulk' })
    .returning('id')
    .executeTakeFirstOrThrow()
  const set = { sitePricePercent: 90, active: false, addTagIds: [tag.id] }
  const expected = { matched: 10_000, changed: 10_000, errors: [] }
  expect(await bulk({ ids, set }, '?dryRun=true')).toMatchObject({ status: 200, body: expected })
  expect(await bulk({ ids, set })).toEqual({ status: 200, body: expected })
})

/** Bytes of WAL so far, without the full-page images after a checkpoint. */
async function logged(connection: Db): Promise<number> {
  await sql`select pg_stat_force_next_flush()`.execute(connection)
  const { rows } = await sql<{ bytes: number }>`
    select (wal_bytes - wal_fpi * 8192)::float8 as bytes from pg_stat_get_backend_wal(pg_backend_pid())`.execute(
    connection,
  )
  const [row] = rows
  if (row === undefined) throw new Error('The server counts nothing')
  return row.bytes
}

// A row takes 1.1 KB plus an entry in each index on editable columns; rewriting search entries would take 3 to 7 KB.
test.each<[string, BulkChange]>([
  ['a percentage', { sitePricePercent: 90 }],
  ['a tag less', { removeTagIds: [1] }],
  ['a state, a price and a tag', { active: false, sitePrice: 8, addTagIds: [1] }],
])('writes at most 2.5 KB per product: %s', async (name, values) => {
  const { rows } = await sql<{ id: number }>`
    select id from products where id % 30 = length(${name}::text) order by id limit 600`.execute(overheard.db)
  const ids = rows.map(({ id }) => id)
  await sql`insert into tags (id, name, slug) values (1, 'one', 'one') on conflict do nothing`.execute(overheard.db)
  await sql`insert into product_tags select unnest(${name === 'a tag less' ? ids : []}::int[]), 1
    on conflict do nothing`.execute(overheard.db)
  await overheard.db.connection().execute(async (connection) => {
    const before = await logged(connection)
    await connection.transaction().execute((trx) => applyBulkEdit(trx, ids, values))
    const bytes = (await logged(connection)) - before
    expect(bytes).toBeGreaterThan(0)
    expect(bytes / ids.length).toBeLessThan(2500)
  })
})

test.each([{ all: true }, { filter: { minPrice: 0.01 } }])(
  'rejects more than ten thousand products: %j',
  async (selection) => {
    // While the list of products is being loaded, which takes long on a busy machine, a filter is answered with 503.
    const answer = () => bulk({ ...selection, set: { sitePrice: 1 } })
    const refused = { status: 409, body: { code: 'TOO_MANY_PRODUCTS' } }
    await expect.poll(answer, { timeout: PROCESS_TIMEOUT_MS, interval: 100 }).toMatchObject(refused)
    const { rows } = await sql`select from products where site_price = 1 limit 1`.execute(shop.deps.db)
    expect(rows).toEqual([])
  },
)

test('deletes and restores a product without reading a whole table', async () => {
  await sql`
    insert into orders (customer_name, customer_phone) select 'x', '1' from generate_series(1, 20000)`.execute(
    overheard.db,
  )
  await sql`
    insert into order_items (order_id, product_id, product_external_id, product_name, price_at_order, quantity)
    select o.id, 1 + o.id * 7 % 10000, 'many-' || o.id, 'x', 1, 1 from orders o`.execute(overheard.db)
  await vacuum(overheard.db, 'orders', 'order_items')
  await overheard.db.transaction().execute(async (trx) => {
    await lockForDeletion(trx, 8)
    await attachExternalId(trx, 8, 'many-8')
  })
  for (const work of [lockForDeletion, attachExternalId]) {
    const plans = await overheard.plansOf((db) => db.transaction().execute((trx) => work(trx, 8, 'many-8')))
    for (const plan of plans) {
      expect(readsOf(plan).filter((read) => /^Seq Scan (orders|order_items)/.test(read))).toEqual([])
    }
  }
})
