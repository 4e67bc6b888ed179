import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Facets } from '../../src/schemas/product-search.ts'
import type { ProductPage } from '../../src/schemas/products.ts'
import { loginAs } from '../support/accounts.ts'
import { createBrand, createProduct } from '../support/factories.ts'
import { startTestShop, type TestShop } from '../support/shop.ts'

// Products without a price and inactive ones, in lists and bulk edits.
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
})
afterAll(() => shop.close())

async function list(query: Record<string, string>, token?: string): Promise<(string | undefined)[]> {
  const path = `/api/v1/products?${new URLSearchParams({ brandId: `${brandId}`, ...query })}`
  const { text } = await shop.call('GET', path, token === undefined ? {} : { token })
  const page: ProductPage = JSON.parse(text)
  return page.content.map(({ id }) => Object.keys(ids).find((key) => ids[key] === id))
}

test('sorts products without a price last by price in both directions', async () => {
  expect(await list({ sort: 'price' })).toEqual(['cheap', 'dear', 'soldOut', 'free', 'unpriced', 'given'])
  expect(await list({ sort: 'price,desc' })).toEqual(['soldOut', 'dear', 'cheap', 'given', 'unpriced', 'free'])
})

test.each([
  [{ minPrice: 0 }, ['cheap', 'dear', 'soldOut']],
  [{ maxPrice: 20 }, ['cheap', 'dear']],
  [{ minPrice: 10.001, maxPrice: 25 }, ['dear', 'soldOut']],
])('leaves products without a price out of the range %j', async (range, expected) => {
  const query = Object.fromEntries(Object.entries(range).map(([key, value]) => [key, String(value)]))
  expect(await list({ sort: 'price', ...query })).toEqual(expected)
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
  for (const search of [{}, { search: 'product' }]) {
    const body = { filter: { inStock: true, brandId: `${brandId}`, ...search }, set: { sitePrice: 5 } }
    const edited = await shop.call('PATCH', '/api/v1/products?dryRun=true', { token: admin, body })
    expect(edited.body).toMatchObject({ matched: available.length })
  }
})

test('suggests no product that the index does not know to be inactive yet', async () => {
  const { db } = shop.deps
  const suggested = async (q: string) => {
    const { text } = await shop.call('GET', `/api/v1/products/suggest?q=${q}`)
    return JSON.parse(text).products
  }
  const id = await createProduct(db, { name: 'Ephemeral', stock: 0 })
  await shop.call('PATCH', `/api/v1/products/${id}`, { token: admin, body: { sitePrice: 7 } })
  expect(await suggested('ephemera')).toMatchObject([{ id }])
  // By hand, which nothing announces.
  await db.updateTable('products').set({ active_override: false }).where('id', '=', id).execute()
  expect(await suggested('ephemeral')).toEqual([])
})
