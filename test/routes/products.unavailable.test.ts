import { afterAll, beforeAll, expect, test } from 'vitest'
import { EVERY_ACTIVE, type ProductFilter } from '../../db/queries/catalogue/product-filter.ts'
import { PRODUCT_SORT } from '../../db/tables/products.ts'
import { searchDatabase } from '../../src/runtime/search/sql-search.ts'
import type { Facets } from '../../src/schemas/facets.ts'
import type { ProductPage } from '../../src/schemas/products.ts'
import { loginAs } from '../support/accounts.ts'
import { createBrand, createProduct } from '../support/factories.ts'
import { startTestShop, type TestShop } from '../support/shop.ts'

// Products without a price and inactive ones, in the lists of the index and in those of the database.
let shop: TestShop
let admin: string
let brandId: number
const ids: Record<string, number> = {}

beforeAll(async () => {
  shop = await startTestShop()
  admin = await loginAs(shop, 'ADMIN')
  brandId = await createBrand(shop.deps.db)
  const add = async (key: string, input: Parameters<typeof createProduct>[1]) => {
    ids[key] = await createProduct(shop.deps.db, { brandId, ...input })
  }
  await add('free', { price: '0.00' })
  await add('cheap', { price: '10.00' })
  await add('unpriced', { price: null })
  await add('dear', { price: '20.00' })
  await add('given', { price: '30.00', sitePrice: '0.00' })
  await add('inactive', { price: '15.00', activeOverride: false })
  await add('soldOut', { price: '25.00', stock: 0 })
  await shop.deps.productSearch.ids([])
})
afterAll(() => shop.close())

async function list(query: Record<string, string>, token?: string): Promise<(string | undefined)[]> {
  const path = `/api/v1/products?${new URLSearchParams({ brandId: `${brandId}`, ...query })}`
  const { text } = await shop.call('GET', path, token === undefined ? {} : { token })
  const page: ProductPage = JSON.parse(text)
  return page.content.map(({ id }) => Object.keys(ids).find((key) => ids[key] === id))
}

async function listBySql(filter: Partial<ProductFilter>, descending: boolean) {
  const search = { ...EVERY_ACTIVE, brandIds: [brandId], ...filter, tokens: [] }
  const order = { columns: PRODUCT_SORT.price, descending }
  const found = await searchDatabase(shop.deps.db, search, { order, page: 0, size: 20 })
  return found.ids.map((id) => Object.keys(ids).find((key) => ids[key] === id))
}

test('sorts products without a price last by price in both directions', async () => {
  const ascending = ['cheap', 'dear', 'soldOut', 'free', 'unpriced', 'given']
  const descending = ['soldOut', 'dear', 'cheap', 'given', 'unpriced', 'free']
  expect(await list({ sort: 'price' })).toEqual(ascending)
  expect(await listBySql({}, false)).toEqual(ascending)
  expect(await list({ sort: 'price,desc' })).toEqual(descending)
  expect(await listBySql({}, true)).toEqual(descending)
})

test.each([
  [{ minPrice: 0 }, ['cheap', 'dear', 'soldOut']],
  [{ maxPrice: 20 }, ['cheap', 'dear']],
  [{ minPrice: 10.001, maxPrice: 25 }, ['dear', 'soldOut']],
])('leaves products without a price out of the range %j', async (range, expected) => {
  const query = Object.fromEntries(Object.entries(range).map(([key, value]) => [key, String(value)]))
  expect(await list({ sort: 'price', ...query })).toEqual(expected)
  expect(await listBySql(range, false)).toEqual(expected)
})

test('leaves products without a price out of the range of prices', async () => {
  const { body } = await shop.call('GET', `/api/v1/products/facets?brandId=${brandId}`)
  expect((body as Facets).price).toEqual({ min: 10, max: 25 })
})

test('lists and edits only available products with inStock, for staff too', async () => {
  const available = ['cheap', 'dear']
  expect(await list({ inStock: 'true', sort: 'price' })).toEqual(available)
  expect(await list({ inStock: 'true', sort: 'price' }, admin)).toEqual(available)
  expect(await list({ inStock: 'true', active: 'false' }, admin)).toEqual([])
  expect(await listBySql({ inStock: true, active: null }, false)).toEqual(available)
  for (const search of [{}, { search: 'product' }]) {
    const body = { filter: { inStock: true, brandId: `${brandId}`, ...search }, set: { sitePrice: 5 } }
    const edited = await shop.call('PATCH', '/api/v1/products?dryRun=true', { token: admin, body })
    expect(edited.body).toMatchObject({ matched: available.length })
  }
})
