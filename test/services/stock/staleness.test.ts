import { afterEach, beforeEach, expect, test } from 'vitest'
import { releaseIdleOrders } from '../../../src/services/stock/idle.ts'
import { loginAs } from '../../support/accounts.ts'
import { createProduct } from '../../support/factories.ts'
import { placeOrder, sendOrder, setSetting } from '../../support/orders.ts'
import { startTestShop, type TestShop } from '../../support/shop.ts'
import { type SupplierShop, startSupplierShop } from '../../support/supplier-shop.ts'

// What a write makes stale, exactly, on every instance (contract section 11; docs/decisions.md, "Writes").
let world: SupplierShop
let here: TestShop
let there: TestShop
let admin: string

beforeEach(async () => {
  world = await startSupplierShop({ RATE_LIMIT_ORDERS: '0' })
  here = world.shop
  there = await startTestShop({}, { databaseUrl: here.deps.config.databaseUrl })
  admin = await loginAs(here, 'ADMIN')
})
afterEach(async () => {
  await there.close()
  await world.close()
})

const SOON = { timeout: 2000, interval: 20 }

/** Two products of five pieces, a list of both and a card of each, held by both instances. */
async function heldProducts() {
  const [sold, other] = [
    await createProduct(here.deps.db, { stock: 5 }),
    await createProduct(here.deps.db, { stock: 5 }),
  ]
  const paths = {
    list: '/api/v1/products?size=100',
    sold: `/api/v1/products/${sold}`,
    other: `/api/v1/products/${other}`,
  }
  let description = ''
  /** Changed without a word to anybody: an answer that doesn't say so was held. */
  const changeSilently = async () => {
    description += 'new '
    await here.deps.db.updateTable('products').set({ description }).execute()
  }
  const held = async (shop: TestShop) => {
    const kept: string[] = []
    for (const [name, path] of Object.entries(paths)) {
      if (!(await shop.call('GET', path)).text.includes(`"description":"${description}"`)) kept.push(name)
    }
    return kept
  }
  // Nothing is held before the instance hears of changes, and nothing for ever.
  const fill = async (shop: TestShop) => {
    for (const path of Object.values(paths)) expect((await shop.call('GET', path)).status).toBe(200)
  }
  const allHeld = async () => {
    await fill(here)
    await fill(there)
    await changeSilently()
    return [await held(here), await held(there)]
  }
  await expect
    .poll(allHeld, { timeout: 10_000, interval: 50 })
    .toEqual([Object.keys(paths), Object.keys(paths)])
  return { sold, other, held, changeSilently }
}

test('an order that leaves something drops nothing; the one that takes the rest drops what shows it', async () => {
  const { sold, held } = await heldProducts()
  await placeOrder(here, [{ productId: sold, quantity: 4 }])
  expect(await held(here)).toEqual(['list', 'sold', 'other'])
  await placeOrder(here, [{ productId: sold, quantity: 1 }])
  expect(await held(here)).toEqual(['other'])
  await expect.poll(() => held(there), SOON).toEqual(['other'])
  expect((await there.call('GET', `/api/v1/products/${sold}`)).body).toMatchObject({ available: false })
})

test('a replay, a refused order and a comment drop nothing', async () => {
  const { sold, held, changeSilently } = await heldProducts()
  const body = [{ productId: sold, quantity: 5 }]
  const { id } = await placeOrder(here, body, { key: 'once' })
  expect(await held(here)).toEqual(['other'])
  await changeSilently()
  const all = ['list', 'sold', 'other']
  expect(await held(here)).toEqual(all)
  await placeOrder(here, body, { key: 'once' })
  expect((await sendOrder(here, body)).status).toBe(409)
  await here.call('PATCH', `/api/v1/admin/orders/${id}`, { token: admin, body: { adminComment: 'x' } })
  expect(await held(here)).toEqual(all)
})

test.each(['cancelled', 'deleted', 'deleted with others'] as const)(
  'the goods of an order that is %s are shown as available at once',
  async (way) => {
    const { sold, held } = await heldProducts()
    const { id } = await placeOrder(here, [{ productId: sold, quantity: 5 }])
    await expect.poll(() => held(there), SOON).toEqual(['other'])
    const card = (shop: TestShop) => shop.call('GET', `/api/v1/products/${sold}`)
    expect((await card(here)).body).toMatchObject({ available: false })
    expect((await card(there)).body).toMatchObject({ available: false })
    if (way === 'cancelled') {
      const body = { status: 'CANCELLED' }
      await here.call('PATCH', `/api/v1/admin/orders/${id}`, { token: admin, body })
    } else if (way === 'deleted') {
      await here.call('DELETE', `/api/v1/admin/orders/${id}`, { token: admin })
    } else {
      const old = { created_at: new Date('2020-01-01') }
      await here.deps.db.updateTable('orders').set(old).execute()
      await here.call('DELETE', '/api/v1/admin/orders/bulk-delete?days=30', { token: admin })
    }
    expect((await card(here)).body).toMatchObject({ available: true })
    await expect.poll(async () => (await card(there)).body, SOON).toMatchObject({ available: true })
    expect(await held(here)).toContain('other')
    if (way !== 'cancelled') return
    // Opened again, it takes the goods again.
    await here.call('PATCH', `/api/v1/admin/orders/${id}`, { token: admin, body: { status: 'PROCESSING' } })
    expect((await card(here)).body).toMatchObject({ available: false })
  },
)

test('what a new order that nobody takes up holds is shown as available at once when its time is over', async () => {
  const { sold, held } = await heldProducts()
  await placeOrder(here, [{ productId: sold, quantity: 5 }])
  await expect.poll(() => held(there), SOON).toEqual(['other'])
  const card = async (shop: TestShop) => (await shop.call('GET', `/api/v1/products/${sold}`)).body
  for (const shop of [here, there]) expect(await card(shop)).toMatchObject({ available: false })
  await here.deps.db
    .updateTable('orders')
    .set({ created_at: new Date('2020-01-01') })
    .execute()
  await releaseIdleOrders(here.deps)
  expect(await card(here)).toMatchObject({ available: true })
  await expect.poll(() => card(there), SOON).toMatchObject({ available: true })
})

test('an order sent by hand takes what it holds at once', async () => {
  const { sold } = await heldProducts()
  const { id } = await placeOrder(here, [{ productId: sold, quantity: 5 }])
  const card = async (shop: TestShop) => (await shop.call('GET', `/api/v1/products/${sold}`)).body
  for (const [status, available] of [
    ['CANCELLED', true],
    ['SENT', false],
  ] as const) {
    await here.call('PATCH', `/api/v1/admin/orders/${id}`, { token: admin, body: { status } })
    expect(await card(here)).toMatchObject({ available })
    await expect.poll(() => card(there), SOON).toMatchObject({ available })
  }
})

test('an item that staff add or remove shows at once', async () => {
  const { sold, other } = await heldProducts()
  const { id } = await placeOrder(here, [{ productId: other, quantity: 1 }])
  const card = async () => (await here.call('GET', `/api/v1/products/${sold}`)).body
  const items = `/api/v1/admin/orders/${id}/items`
  const added = await here.call('POST', items, { token: admin, body: { productId: sold, quantity: 5 } })
  expect(await card()).toMatchObject({ available: false })
  const { items: lines } = added.body as { items: { id: number; productId: number }[] }
  const line = lines.find(({ productId }) => productId === sold)
  await here.call('DELETE', `${items}/${line?.id}`, { token: admin })
  expect(await card()).toMatchObject({ available: true })
})

test('what a sync changes shows at once, and what vanished is gone at once', async () => {
  for (let n = 1; n <= 10; n++)
    world.catalogue.upsertProduct({ id: `p${n}`, name: `Name ${n}`, price: 10, stock: 5 })
  await world.sync()
  const rows = await here.deps.db.selectFrom('products').select(['id', 'external_id']).execute()
  const idOf = (externalId: string) => rows.find(({ external_id }) => external_id === externalId)?.id
  const card = (shop: TestShop, externalId: string) =>
    shop.call('GET', `/api/v1/products/${idOf(externalId)}`)
  for (const shop of [here, there]) for (const id of ['p1', 'p2', 'p3']) await card(shop, id)
  await here.deps.db
    .updateTable('products')
    .set({ description: 'silent' })
    .where('external_id', '=', 'p3')
    .execute()

  world.catalogue.upsertProduct({ id: 'p1', name: 'Renamed' })
  world.catalogue.removeProduct('p2')
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

test('lists, counts, slugs, brands and categories follow a sync at once', async () => {
  const { catalogue } = world
  catalogue.upsertCategory({ id: 'c1', name: 'Drills' })
  catalogue.upsertBrand({ id: 'b1', name: 'Acme' })
  const product = { price: 10, stock: 5, categoryId: 'c1', brandId: 'b1' }
  for (let n = 1; n <= 9; n++) catalogue.upsertProduct({ id: `p${n}`, name: `Drill ${n}`, ...product })
  await world.sync()
  const { id, slug } = await here.deps.db
    .selectFrom('products')
    .select(['id', 'slug'])
    .where('external_id', '=', 'p9')
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
  for (const shop of [here, there]) expect(await seen(shop)).toMatchObject(before)

  catalogue.upsertBrand({ id: 'b1', name: 'Acme & Sons' })
  catalogue.upsertCategory({ id: 'c1', name: 'Power drills' })
  catalogue.upsertProduct({ id: 'p10', name: 'Drill 10', ...product })
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

  catalogue.upsertProduct({ id: 'p9', active: false })
  await world.sync()
  for (const shop of [here, there]) {
    await expect.poll(async () => (await seen(shop)).bySlug, SOON).toBe(404)
    await expect.poll(async () => (await seen(shop)).list, SOON).toMatchObject({ totalElements: 9 })
  }
})

test('a read of the supplier lets go of what was sent, and that shows at once', async () => {
  world.catalogue.upsertProduct({ id: 'p1', name: 'Sold', price: 10, stock: 5 })
  await world.sync()
  const { id: productId } = await here.deps.db.selectFrom('products').select('id').executeTakeFirstOrThrow()
  const card = async (shop: TestShop) => (await shop.call('GET', `/api/v1/products/${productId}`)).body
  const { id } = await placeOrder(here, [{ productId, quantity: 5 }])
  await here.call('POST', `/api/v1/admin/orders/${id}/submit`, { token: admin })
  world.catalogue.upsertProduct({ id: 'p1', stock: 5 })
  for (const shop of [here, there]) expect(await card(shop)).toMatchObject({ available: false })
  await world.sync()
  expect(await card(here)).toMatchObject({ available: true })
  await expect.poll(() => card(there), SOON).toMatchObject({ available: true })
})

test('a setting that allows more than there is changes nothing that is shown', async () => {
  const { sold, held } = await heldProducts()
  await setSetting(here, admin, 'order_allow_backorder', 'true')
  await placeOrder(here, [{ productId: sold, quantity: 4 }])
  expect(await held(here)).toEqual(['list', 'sold', 'other'])
  await placeOrder(here, [{ productId: sold, quantity: 40 }])
  expect(await held(here)).toEqual(['other'])
})
