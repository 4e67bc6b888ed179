import fc from 'fast-check'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { EVERY_ACTIVE, type ProductFilter } from '../../../db/queries/catalogue/product-filter.ts'
import { countProducts, listProductIds } from '../../../db/queries/catalogue/products.ts'
import { findInIndex, refreshIndex } from '../../../src/services/catalogue/product-index.ts'
import { loginAs } from '../../support/accounts.ts'
import { createBrand, createCategory, createProduct } from '../../support/factories.ts'
import { placeOrder } from '../../support/orders.ts'
import { startTestShop, type TestShop } from '../../support/shop.ts'

// What lists are told by the index in memory is what the database would have said, whatever was changed before.
let shop: TestShop
let other: TestShop
let admin: string
const ids: number[] = []
const COLOURS = ['red', 'green', 'blue']

beforeAll(async () => {
  shop = await startTestShop({ RATE_LIMIT_ORDERS: '0' })
  other = await startTestShop({}, { databaseUrl: shop.deps.config.databaseUrl })
  admin = await loginAs(shop, 'ADMIN')
  const { db } = shop.deps
  for (let n = 0; n < 3; n++) await createBrand(db)
  for (let n = 0; n < 4; n++) await createCategory(db)
  for (let n = 0; n < 60; n++) {
    const attributes = COLOURS.slice(n % 4).map((value) => ({ name: 'Colour', value }))
    ids.push(
      await createProduct(db, {
        brandId: n % 4 || null,
        categoryId: n % 5 || null,
        price: n % 7 === 0 ? null : `${(n * 13) % 40}.${10 + (n % 90)}`,
        stock: n % 3,
        activeOverride: n % 6 === 0 ? false : null,
        attributes: n % 2 ? attributes : [...attributes, { name: 'Size', value: `${n % 3}` }],
      }),
    )
  }
})
afterAll(async () => {
  await other.close()
  await shop.close()
})

const maybe = <T>(value: fc.Arbitrary<T>) => fc.option(value, { freq: 1 })
const price = fc.oneof(fc.integer({ min: 0, max: 40 }), fc.double({ min: 0, max: 40, noNaN: true }))
const some = (most: number) => fc.uniqueArray(fc.integer({ min: 1, max: most }), { minLength: 1 })
const attribute = fc.oneof(
  fc.record({
    name: fc.constant('Colour'),
    values: fc.uniqueArray(fc.constantFrom(...COLOURS, 'pink'), { minLength: 1 }),
  }),
  fc.record({ name: fc.constantFrom('Size', 'Weight'), values: fc.constant<string[]>(['1']) }),
)
const filters: fc.Arbitrary<ProductFilter> = fc
  .record({
    active: maybe(fc.boolean()),
    categoryIds: maybe(some(5)),
    brandIds: maybe(some(4)),
    minPrice: maybe(price),
    maxPrice: maybe(price),
    inStock: fc.boolean(),
    attributes: fc.uniqueArray(attribute, { maxLength: 2, selector: ({ name }) => name }),
  })
  .map((filter) => ({ ...EVERY_ACTIVE, ...filter }))

async function agrees(one: TestShop, runs: number): Promise<void> {
  await refreshIndex(one.deps)
  const page = fc.record({ descending: fc.boolean(), page: fc.nat(3), size: fc.integer({ min: 1, max: 30 }) })
  await fc.assert(
    fc.asyncProperty(filters, page, async (filter, { descending, page, size }) => {
      const found = await findInIndex(one.deps, filter, { descending, offset: page * size, size })
      const order = { columns: ['id'] as const, descending }
      expect(found).toEqual({
        total: await countProducts(one.deps.db, filter),
        ids: await listProductIds(one.deps.db, filter, order, { page, size }),
      })
    }),
    { numRuns: runs },
  )
}

test('any filter leaves the same products, in the same order', () => agrees(shop, 150))

test('and does after whatever changes, on every instance', async () => {
  await refreshIndex(other.deps)
  const send = async (method: 'PATCH' | 'POST' | 'DELETE' | 'PUT', path: string, body?: unknown) => {
    const { status, text } = await shop.call(method, `/api/v1/${path}`, { token: admin, body })
    expect([path, status < 300, text]).toEqual([path, true, text])
  }
  const changes = [
    () => placeOrder(shop, [{ productId: ids[5] ?? 0, quantity: 2 }]),
    () => send('PATCH', `products/${ids[8]}`, { sitePrice: 3.5, active: false }),
    () => send('PUT', `products/${ids[9]}/attributes`, [{ name: 'Size', value: '1' }]),
    () => send('DELETE', `products/${ids[10]}`),
    () => send('POST', 'products', { name: 'New', price: 12.34, stock: 1, brandId: 2, categoryId: 3 }),
    () => send('PATCH', 'products', { filter: { brandId: '1' }, set: { categoryId: 2 } }),
  ]
  const heard = new Set<string>()
  other.deps.changes.subscribe((made) => {
    for (const { kind } of made) heard.add(kind)
  })
  for (const change of changes) {
    heard.clear()
    await change()
    await agrees(shop, 15)
    await expect.poll(() => heard.has('product') || heard.has('stock')).toBe(true)
    await agrees(other, 15)
  }
})

test('ids that were given out earlier may come later', async () => {
  const { db } = shop.deps
  const late = await createProduct(db)
  await sql`update products set id = 1000000 where id = ${late}`.execute(db)
  await shop.deps.changes.announce([{ kind: 'product', ids: new Set([1_000_000]) }], 'run')
  await agrees(shop, 10)
  const later = await createProduct(db)
  await shop.deps.changes.announce([{ kind: 'product', ids: new Set([later]) }], 'run')
  await agrees(shop, 30)
})

test('what can not be heard of is asked of the database', async () => {
  const page = { descending: false, offset: 0, size: 5 }
  shop.deps.caches.setTrusted(false)
  expect(await findInIndex(shop.deps, EVERY_ACTIVE, page)).toBeNull()
  shop.deps.caches.setTrusted(true)
  // From before it was heard of everything again.
  expect(await findInIndex(shop.deps, EVERY_ACTIVE, page)).toBeNull()
  await shop.deps.productIndex.refreshing
  expect(await findInIndex(shop.deps, EVERY_ACTIVE, page)).toMatchObject({ total: expect.any(Number) })
})
