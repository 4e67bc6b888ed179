import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Db } from '../../../../db/database.ts'
import { countActiveProductsByCategory } from '../../../../db/queries/catalogue/categories.ts'
import { listIdsByName } from '../../../../db/queries/catalogue/product-index.ts'
import { findProduct, findProducts } from '../../../../db/queries/catalogue/products.ts'
import { findBySlug } from '../../../../db/queries/catalogue/slugs.ts'
import { listTaggedProducts } from '../../../../db/queries/catalogue/tags.ts'
import { findOffers } from '../../../../db/queries/stock/reservations.ts'
import { createLargeDatabase, vacuum } from '../../../support/database.ts'
import { type OverheardDatabase, overhear, readsOf } from '../../../support/statements.ts'

let database: Awaited<ReturnType<typeof createLargeDatabase>>
let shop: OverheardDatabase

beforeAll(async () => {
  database = await createLargeDatabase()
  shop = overhear(database.url)
  await tagProducts(shop.db)
  await reviewProducts(shop.db)
})
afterAll(async () => {
  await shop.close()
  await database.drop()
})

/** Each of two hundred tags on 250 products. */
async function tagProducts(db: Db): Promise<void> {
  await sql`insert into tags (name, slug) select n::text, n::text from generate_series(1, 200) n`.execute(db)
  await sql`insert into product_tags select id, 1 + id * 7 % 200 from products`.execute(db)
  await vacuum(db, 'tags', 'product_tags')
}

/** Forty of each of 500 products, as many of the shop as a whole. */
async function reviewProducts(db: Db): Promise<void> {
  await sql`insert into reviews (author, rating, text, review_date, product_id)
    select 'Анна', 1 + n % 5, repeat('Отзыв ', 50), '2026-11-01', case when n <= 20000 then 1 + n % 500 end
    from generate_series(1, 40000) n`.execute(db)
  await vacuum(db, 'reviews')
}

/** The scans in the plan of a query function's only statement. */
async function readsBy(read: (db: Db) => Promise<unknown>): Promise<string[]> {
  const plans = await shop.plansOf(read)
  expect(plans).toHaveLength(1)
  return readsOf(plans[0])
}

test('finds the products of a page, a card, a cart and a slug by their keys', async () => {
  const queries: ((db: Db) => Promise<unknown>)[] = [
    (db) => findProducts(db, [1, 2, 3, 40_000]),
    (db) => findProduct(db, 7),
    (db) => findOffers(db, [1, 2, 3]),
    (db) => findBySlug(db, 'product', 'many-7'),
  ]
  for (const query of queries) {
    const plan = await readsBy(query)
    expect(plan.filter((node) => node === 'Seq Scan products')).toEqual([])
    expect(plan.length).toBeGreaterThan(0)
  }
})

test('reads the ratings of a page and a card from an index alone, in the statement that reads the products', async () => {
  for (const query of [(db: Db) => findProducts(db, [1, 2, 3]), (db: Db) => findProduct(db, 7)]) {
    const onReviews = (await readsBy(query)).filter((node) => node.includes('reviews'))
    expect(onReviews).toEqual(['Index Only Scan reviews_product_rating'])
  }
})

test('reads all names in their order, and the products of a tag, from an index alone', async () => {
  expect(await readsBy(listIdsByName)).toEqual(['Index Only Scan products_name'])
  expect(await readsBy((db) => listTaggedProducts(db, [7], false))).toContain('Index Only Scan product_tags_products')
})

test('counts products by category without reading them', async () => {
  const plan = await readsBy(countActiveProductsByCategory)
  expect(plan).toEqual(['Index Only Scan products_category'])
})
