import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Db } from '../../../../db/database.ts'
import { countActiveProductsByCategory } from '../../../../db/queries/catalogue/categories.ts'
import {
  EVERY_ACTIVE,
  type ProductFilter,
  type ProductOrder,
} from '../../../../db/queries/catalogue/product-filter.ts'
import {
  countProducts,
  findProductBySlug,
  findPublicProduct,
  findPublicProducts,
  listProductIds,
} from '../../../../db/queries/catalogue/products.ts'
import { findOffers } from '../../../../db/queries/stock/availability.ts'
import { PRODUCT_SORT } from '../../../../db/tables/products.ts'
import { createLargeDatabase, vacuum } from '../../../support/database.ts'
import { type OverheardDatabase, overhear, readsOf } from '../../../support/statements.ts'

let database: Awaited<ReturnType<typeof createLargeDatabase>>
let shop: OverheardDatabase
let categories: number[]
let brands: number[]

beforeAll(async () => {
  database = await createLargeDatabase()
  shop = overhear(database.url)
  categories = await idsOf('categories')
  brands = await idsOf('brands')
  await tagProducts(shop.db)
  await reviewProducts(shop.db)
})
afterAll(async () => {
  await shop.close()
  await database.drop()
})

async function idsOf(table: 'categories' | 'brands'): Promise<number[]> {
  return (await shop.db.selectFrom(table).select('id').orderBy('id').execute()).map(({ id }) => id)
}

/** The first tag on every tenth product, the second on fifty, two hundred more on what two hundred have each. */
async function tagProducts(db: Db): Promise<void> {
  await sql`insert into tags (name, slug) select n::text, n::text from generate_series(1, 202) n`.execute(db)
  await sql`insert into product_tags
    select id, tag from products, (values (1, 10), (2, 1000)) as every(tag, nth) where id % nth = 7`.execute(
    db,
  )
  await sql`insert into product_tags select id, 3 + id * 7 % 200 from products`.execute(db)
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

const everything = EVERY_ACTIVE
const byId: ProductOrder = { columns: PRODUCT_SORT.id, descending: false }
const firstPage = { page: 0, size: 20 }
const page500 = { page: 500, size: 20 }

const filters: [string, () => ProductFilter][] = [
  ['nothing', () => everything],
  ['a subtree of three categories', () => ({ ...everything, categoryIds: categories.slice(0, 3) })],
  ['most categories', () => ({ ...everything, categoryIds: categories.slice(0, 15) })],
  ['a brand', () => ({ ...everything, brandIds: brands.slice(0, 1) })],
  ['a tag of many', () => ({ ...everything, tagId: 1 })],
  ['a tag of few', () => ({ ...everything, tagId: 2 })],
  ['several brands', () => ({ ...everything, brandIds: brands.slice(0, 3) })],
  ['what is in stock', () => ({ ...everything, inStock: true })],
  ['an attribute', () => ({ ...everything, attributes: [{ name: 'Цвет', values: ['белый', 'чёрный'] }] })],
  ['a narrow price range', () => ({ ...everything, minPrice: 100, maxPrice: 200 })],
  ['a wide price range', () => ({ ...everything, minPrice: 100, maxPrice: 9000 })],
  ['inactive ones', () => ({ ...everything, active: false })],
  ['active and inactive ones', () => ({ ...everything, active: null })],
  ['what a search found', () => ({ ...everything, ids: [1, 2, 3, 40_000] })],
  [
    'everything at once',
    () => ({
      ...everything,
      categoryIds: categories,
      brandIds: brands.slice(1, 2),
      tagId: 1,
      minPrice: 1,
      maxPrice: 9000,
    }),
  ],
]

/** The database, asked only while the products are being read into memory, has no index of prices, availability and attributes. */
const indexed = filters.filter(([name]) => !/in stock|price range|attribute/.test(name))

test.each(indexed)('counts with %s without reading a whole table', async (_name, filter) => {
  const plan = await readsBy((db) => countProducts(db, filter()))
  expect(plan.filter((node) => node.startsWith('Seq Scan'))).toEqual([])
  expect(plan.length).toBeGreaterThan(0)
})

/** The other orders are those of the products in memory: of the database they are asked while these are being read. */
const orders = [PRODUCT_SORT.name, PRODUCT_SORT.id].flatMap((columns): [string, ProductOrder][] => [
  [`${columns[0]},asc`, { columns, descending: false }],
  [`${columns[0]},desc`, { columns, descending: true }],
])

test.each(indexed)('lists a page with %s without reading a whole table', async (_name, filter) => {
  for (const [name, order] of orders) {
    for (const page of [firstPage, page500]) {
      const plan = await readsBy((db) => listProductIds(db, filter(), order, page))
      const whole = plan.filter((node) => node.startsWith('Seq Scan'))
      expect([name, page, whole]).toEqual([name, page, []])
      expect(plan.length).toBeGreaterThan(0)
    }
  }
})

test.each(orders)('reads a deep page by %s from an index alone, without a sort', async (_name, order) => {
  const [plan] = await shop.plansOf((db) => listProductIds(db, everything, order, page500))
  expect(plan?.map(({ type }) => type)).toEqual(['Limit', 'Index Only Scan'])
})

test('merges the first pages of a tag from two indexes', async () => {
  const filter = { ...everything, tagId: 1 }
  const plan = await readsBy((db) => listProductIds(db, filter, byId, firstPage))
  expect(plan.sort()).toEqual(['Index Only Scan product_tags_products', 'Index Only Scan products_active'])
})

test.each([
  ['everything', () => everything],
  ['a brand', () => ({ ...everything, brandIds: brands.slice(0, 1) })],
  ['categories', () => ({ ...everything, categoryIds: categories.slice(0, 3) })],
])('counts %s from an index alone', async (_name, filter) => {
  const plan = await readsBy((db) => countProducts(db, filter()))
  expect(plan).toHaveLength(1)
  expect(plan[0]).toMatch(/^Index Only Scan/)
})

test('finds the products of a page, a card, a cart and a slug by their keys', async () => {
  const queries: ((db: Db) => Promise<unknown>)[] = [
    (db) => findPublicProducts(db, [1, 2, 3, 40_000]),
    (db) => findPublicProduct(db, 7),
    (db) => findOffers(db, [1, 2, 3]),
    (db) => findProductBySlug(db, 'many-7'),
  ]
  for (const query of queries) {
    const plan = await readsBy(query)
    expect(plan.filter((node) => node === 'Seq Scan products')).toEqual([])
    expect(plan.length).toBeGreaterThan(0)
  }
})

test('reads the ratings of a page and a card from an index alone, in the statement that reads the products', async () => {
  for (const query of [(db: Db) => findPublicProducts(db, [1, 2, 3]), (db: Db) => findPublicProduct(db, 7)]) {
    const onReviews = (await readsBy(query)).filter((node) => node.includes('reviews'))
    expect(onReviews).toEqual(['Index Only Scan reviews_product_rating'])
  }
})

test('counts products by category without reading them', async () => {
  const plan = await readsBy(countActiveProductsByCategory)
  expect(plan).toEqual(['Index Only Scan products_category'])
})

test('lists products without a price last in both directions', async () => {
  await sql`update products set price = null where id = 77`.execute(shop.db)
  const last = { page: 48_999, size: 1 }
  for (const descending of [false, true]) {
    expect(
      await listProductIds(shop.db, everything, { columns: PRODUCT_SORT.price, descending }, last),
    ).toEqual([77])
  }
  expect((await listProductIds(shop.db, everything, byId, firstPage))[0]).toBe(1)
})
