import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Trx } from '../../../db/database.ts'
import { CACHE_NAMES, type ChangeKind } from '../../../src/runtime/changes/kinds.ts'
import type { Suggestions } from '../../../src/schemas/product-search.ts'
import type { Product, ProductPage } from '../../../src/schemas/products.ts'
import { refreshSales } from '../../../src/services/catalogue/products.ts'
import { loginAs } from '../../support/accounts.ts'
import { createBrand, createCategory, createProduct } from '../../support/factories.ts'
import { untilWaiting, whileLocked } from '../../support/locks.ts'
import { placeOrder } from '../../support/orders.ts'
import { SOON, startTestShop, type TestShop } from '../../support/shop.ts'

// Lists are put together of cached products, whose JSON also shows categories, brands and settings.
let shop: TestShop
let other: TestShop
let admin: string

beforeAll(async () => {
  shop = await startTestShop({ RATE_LIMIT_ORDERS: '0' })
  other = await startTestShop({}, { databaseUrl: shop.deps.config.databaseUrl })
  admin = await loginAs(shop, 'ADMIN')
})
afterAll(async () => {
  await other.close()
  await shop.close()
})

async function cachedProduct() {
  const categoryId = await createCategory(shop.deps.db, { name: 'Drills' })
  const brandId = await createBrand(shop.deps.db, 'Acme')
  const id = await createProduct(shop.deps.db, { categoryId, brandId })
  shop.deps.caches.clear()
  const shown = async (token?: string): Promise<Product | undefined> => {
    const { body } = await shop.call('GET', `/api/v1/products?categoryId=${categoryId}`, {
      ...(token === undefined ? {} : { token }),
    })
    return (body as { content: Product[] }).content[0]
  }
  await shown()
  await shown(admin)
  return { id, categoryId, brandId, shown }
}

const publish = (kind: ChangeKind, id: number) => shop.deps.changes.publish([{ kind, ids: new Set([id]) }])

test('every cache that a change can make stale exists', () => {
  const names = [...shop.deps.caches.stats().keys(), 'product_index']
  expect(names.toSorted()).toEqual(CACHE_NAMES.toSorted())
})

test('shows current categories, brands and settings in lists', async () => {
  const { categoryId, brandId, shown } = await cachedProduct()
  const both = async (expected: object) => {
    for (const token of [undefined, admin]) expect(await shown(token)).toMatchObject(expected)
  }
  await both({ category: { name: 'Drills' }, brand: { name: 'Acme' } })
  await shop.call('PUT', `/api/v1/categories/${categoryId}`, { token: admin, body: { name: 'Hammers' } })
  await both({ category: { name: 'Hammers' } })
  await shop.deps.db.updateTable('brands').set({ name: 'Acme & Sons' }).where('id', '=', brandId).execute()
  await publish('brand', brandId)
  await both({ brand: { name: 'Acme & Sons' } })
  const body = { value: '{brand} of {siteName}' }
  await shop.call('PUT', '/api/v1/admin/config/seo_product_title_template', { token: admin, body })
  await both({ seo: { title: expect.stringMatching(/^Acme & Sons of /) } })
})

test('does not cache a product loaded while its category is renamed', async () => {
  const { categoryId, brandId, shown } = await cachedProduct()
  // The category is cached, the brand is not: the request waits between the two.
  await publish('brand', brandId)
  let waiting: Promise<unknown> | undefined
  const lock = (trx: Trx) => sql`lock table brands in access exclusive mode`.execute(trx)
  await whileLocked(shop.deps.db, lock, async () => {
    waiting = shown()
    await untilWaiting(shop.deps.db)
    await shop.call('PUT', `/api/v1/categories/${categoryId}`, { token: admin, body: { name: 'Hammers' } })
  })
  await waiting
  expect(await shown()).toMatchObject({ category: { name: 'Hammers' } })
})

test('lists no deactivated product, even before the index has read it', async () => {
  const categoryId = await createCategory(shop.deps.db)
  const id = await createProduct(shop.deps.db, { categoryId })
  shop.deps.caches.clear()
  const path = `/api/v1/products?categoryId=${categoryId}`
  const known = await shop.call('GET', `${path}&page=1`)
  expect(known.body).toMatchObject({ totalElements: 1, content: [] })
  await shop.deps.db.updateTable('products').set({ active_override: false }).where('id', '=', id).execute()
  expect((await shop.call('GET', path)).body).toMatchObject({ content: [] })
})

test('lists each match of a search once over all pages after orders, cancellations and counted sales', async () => {
  const brandId = await createBrand(shop.deps.db)
  const ids: number[] = []
  for (let n = 0; n < 4; n++) {
    ids.push(await createProduct(shop.deps.db, { name: `Pageable ${n}`, brandId, stock: 2 }))
  }
  for (const { deps } of [shop, other]) deps.caches.clear()
  const [first = 0, second = 0, third = 0, fourth = 0] = ids
  const read = async (one: TestShop, path: string) => (await one.call('GET', `/api/v1/products${path}`)).body
  const pages = async (one: TestShop) => {
    const listed: number[] = []
    for (let page = 0; page < 4; page++) {
      const path = `?search=pageable&brandId=${brandId}&size=1&page=${page}`
      listed.push(...((await read(one, path)) as ProductPage).content.map(({ id }) => id))
    }
    return listed
  }
  const suggested = async (one: TestShop) =>
    ((await read(one, '/suggest?q=pageable')) as Suggestions).products.map(({ id }) => id)
  const inOrder = async (expected: number[]) => {
    const seen = async (one: TestShop) => [await pages(one), await suggested(one)]
    expect(await seen(shop)).toEqual([expected, expected])
    await expect.poll(() => seen(other), SOON).toEqual([expected, expected])
    // An answer is cached when it is asked for the second time.
    for (const one of [shop, other]) expect(await seen(one)).toEqual([expected, expected])
  }
  await inOrder(ids)
  const order = await placeOrder(shop, [{ productId: first, quantity: 2 }])
  await inOrder([second, third, fourth, first])
  const path = `/api/v1/admin/orders/${order.id}`
  const { status } = await shop.call('PATCH', path, { token: admin, body: { status: 'CANCELLED' } })
  expect(status).toBe(200)
  await inOrder(ids)
  await placeOrder(shop, [{ productId: fourth, quantity: 1 }])
  await refreshSales(shop.deps)
  await inOrder([fourth, first, second, third])
})

test('keeps cached searches when an order leaves all products available', async () => {
  const productId = await createProduct(shop.deps.db, { stock: 3 })
  shop.deps.caches.clear()
  const before = await shop.deps.productSearch.rankVersion()
  await placeOrder(shop, [{ productId, quantity: 1 }])
  expect(await shop.deps.productSearch.rankVersion()).toBe(before)
  await placeOrder(shop, [{ productId, quantity: 2 }])
  expect(await shop.deps.productSearch.rankVersion()).not.toBe(before)
})
