import { afterAll, beforeAll, expect, test } from 'vitest'
import { loginAs } from '../../support/accounts.ts'
import { placeOrder } from '../../support/orders.ts'
import { SOON, startTestShop, type TestShop } from '../../support/shop.ts'
import { type SupplierShop, startSupplierShop } from '../../support/supplier-shop.ts'

// A sync invalidates caches on every instance (docs/decisions.md).
let world: SupplierShop
let here: TestShop
let there: TestShop
let admin: string

beforeAll(async () => {
  world = await startSupplierShop({ RATE_LIMIT_ORDERS: '0' })
  here = world.shop
  there = await startTestShop({}, { databaseUrl: here.deps.config.databaseUrl })
  admin = await loginAs(here, 'ADMIN')
})
afterAll(async () => {
  await there.close()
  await world.close()
})

const both = () => [here, there]

test('shows changed products and hides missing ones at once', async () => {
  for (let n = 1; n <= 10; n++) world.catalogue.upsertProduct({ id: `p${n}`, name: `Name ${n}`, price: 10, stock: 5 })
  await world.sync()
  const rows = await here.deps.db.selectFrom('products').select(['id', 'external_id']).execute()
  const idOf = (externalId: string) => rows.find(({ external_id }) => external_id === externalId)?.id
  const card = (shop: TestShop, externalId: string) => shop.call('GET', `/api/v1/products/${idOf(externalId)}`)
  for (const shop of both()) for (const id of ['p1', 'p2', 'p3']) await card(shop, id)
  await here.deps.db.updateTable('products').set({ description: 'silent' }).where('external_id', '=', 'p3').execute()

  world.catalogue.upsertProduct({ id: 'p1', name: 'Renamed' })
  world.catalogue.products.delete('p2')
  await here.call('POST', '/api/v1/admin/sync/reset', { token: admin })
  await world.sync()
  expect((await card(here, 'p1')).body).toMatchObject({ name: 'Renamed' })
  // One full load that misses it proves nothing.
  expect((await card(here, 'p2')).status).toBe(200)
  await world.sync()
  expect((await card(here, 'p2')).status).toBe(404)
  await expect.poll(async () => (await card(there, 'p2')).status, SOON).toBe(404)
  expect((await card(there, 'p1')).body).toMatchObject({ name: 'Renamed' })
})

test('updates lists, counts, slugs, brands and categories at once', async () => {
  const { catalogue } = world
  catalogue.upsertCategory({ id: 'c1', name: 'Drills' })
  catalogue.upsertBrand({ id: 'b1', name: 'Acme' })
  const product = { price: 10, stock: 5, categoryId: 'c1', brandId: 'b1' }
  for (let n = 1; n <= 9; n++) catalogue.upsertProduct({ id: `drill-${n}`, name: `Drill ${n}`, ...product })
  await world.sync()
  const { id, slug } = await here.deps.db
    .selectFrom('products')
    .select(['id', 'slug'])
    .where('external_id', '=', 'drill-9')
    .executeTakeFirstOrThrow()
  const seen = async (shop: TestShop) => {
    const body = async (path: string) => (await shop.call('GET', path)).body
    return {
      list: await body('/api/v1/products?search=drill'),
      card: await body(`/api/v1/products/${id}`),
      bySlug: (await shop.call('GET', `/api/v1/products/by-slug/${slug}`)).status,
      brands: await body('/api/v1/brands'),
      tree: await body('/api/v1/categories/tree'),
    }
  }
  const before = {
    list: { totalElements: 9 },
    card: { brand: { name: 'Acme' }, category: { name: 'Drills' } },
    bySlug: 200,
    brands: [{ name: 'Acme', productCount: 9 }],
    tree: [{ name: 'Drills', productCount: 9 }],
  }
  for (const shop of both()) expect(await seen(shop)).toMatchObject(before)

  catalogue.upsertBrand({ id: 'b1', name: 'Acme & Sons' })
  catalogue.upsertCategory({ id: 'c1', name: 'Power drills' })
  catalogue.upsertProduct({ id: 'drill-10', name: 'Drill 10', ...product })
  await world.sync()
  const after = {
    list: { totalElements: 10 },
    card: { brand: { name: 'Acme & Sons' }, category: { name: 'Power drills' } },
    bySlug: 200,
    brands: [{ name: 'Acme & Sons', productCount: 10 }],
    tree: [{ name: 'Power drills', productCount: 10 }],
  }
  expect(await seen(here)).toMatchObject(after)
  await expect.poll(() => seen(there), SOON).toMatchObject(after)

  catalogue.upsertProduct({ id: 'drill-9', active: false })
  await world.sync()
  for (const shop of both()) {
    await expect.poll(async () => (await seen(shop)).bySlug, SOON).toBe(404)
    await expect.poll(async () => (await seen(shop)).list, SOON).toMatchObject({ totalElements: 9 })
  }
})

test('shows stock released by a sync at once', async () => {
  world.catalogue.upsertProduct({ id: 'sold', name: 'Sold', price: 10, stock: 5 })
  await world.sync()
  const { id: productId } = await here.deps.db
    .selectFrom('products')
    .select('id')
    .where('external_id', '=', 'sold')
    .executeTakeFirstOrThrow()
  const card = async (shop: TestShop) => (await shop.call('GET', `/api/v1/products/${productId}`)).body
  const { id } = await placeOrder(here, [{ productId, quantity: 5 }])
  await here.call('POST', `/api/v1/admin/orders/${id}/submit`, { token: admin })
  world.catalogue.upsertProduct({ id: 'sold', stock: 5 })
  for (const shop of both()) expect(await card(shop)).toMatchObject({ available: false })
  await world.sync()
  expect(await card(here)).toMatchObject({ available: true })
  await expect.poll(() => card(there), SOON).toMatchObject({ available: true })
})

test('counts a product under a brand that is listed later at once', async () => {
  const { catalogue } = world
  catalogue.upsertProduct({ id: 'waiting', name: 'Saw', price: 10, stock: 5, brandId: 'late' })
  await world.sync()
  // The next run lists changes of the last second again.
  catalogue.upsertProduct({ id: 'waiting', updatedAt: Date.now() - 60_000 })
  const facets = async (shop: TestShop) => (await shop.call('GET', '/api/v1/products/facets?search=saw')).body
  for (const shop of both()) expect(await facets(shop)).toMatchObject({ brands: [] })
  catalogue.upsertBrand({ id: 'late', name: 'Late' })
  await world.sync()
  const counted = { brands: [{ name: 'Late', count: 1 }] }
  expect(await facets(here)).toMatchObject(counted)
  await expect.poll(() => facets(there), SOON).toMatchObject(counted)
})
