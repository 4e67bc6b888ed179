import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import type { StaffProductCard } from '../../../src/schemas/products.ts'
import { rebuild } from '../../../src/services/published/publishing.ts'
import { loginAs } from '../../support/accounts.ts'
import { openEvents } from '../../support/events.ts'
import { type ScriptedShop, startScriptedShop, wireDate, wireProduct } from '../../support/scripted-supplier.ts'
import { SOON, startTestShop, type TestShop } from '../../support/shop.ts'

// What the supplier says of a field that staff override is stored beside it (docs/catalogue.md).
let world: ScriptedShop
let other: TestShop
let admin: string
let id: number
const categories: { [externalId: string]: { id: number; name: string } } = {}
const brands: { [externalId: string]: { id: number; name: string } } = {}

beforeAll(async () => {
  world = await startScriptedShop({ SITE_URL: 'https://shop.example' }, { publishes: true })
  other = await startTestShop({}, { databaseUrl: world.shop.deps.config.databaseUrl })
  admin = await loginAs(world.shop, 'ADMIN')
})
afterAll(async () => {
  await other.close()
  await world.close()
})
beforeEach(async () => {
  await world.startOver()
  const listed = (ids: string[]) => ids.map((one) => ({ id: one, name: `Listed ${one}`, updatedAt: LONG_AGO }))
  world.supplier.lists = {
    ListCategories: listed(['c1', 'c2']),
    ListBrands: listed(['b1', 'b2']),
    // No category is without products, and hidden therefore.
    ListProducts: ['c1', 'c2', 'c1'].map((categoryId, index) =>
      wireProduct(`p${index + 1}`, { description: 'From the supplier', categoryId, brandId: 'b1' }),
    ),
  }
  await sync()
  id = await idOf('p1')
  for (const [table, links] of [['categories', categories] as const, ['brands', brands] as const]) {
    const rows = await world.shop.deps.db.selectFrom(table).select(['id', 'name', 'external_id']).execute()
    for (const { external_id, ...link } of rows) links[external_id ?? ''] = link
  }
})

const LONG_AGO = wireDate(new Date('2026-01-01T00:00:00Z'))
const PRODUCTS = '/api/v1/products'
const send = (method: string, path: string, body?: unknown, ifMatch = '*') =>
  world.shop.call(method, PRODUCTS + path, {
    token: admin,
    headers: { 'if-match': ifMatch },
    ...(body === undefined ? {} : { body }),
  })
async function edit(body: object, path = `/${id}`, method = 'PATCH'): Promise<StaffProductCard> {
  const answer = await send(method, path, body)
  expect([answer.status, answer.text]).toEqual([method === 'POST' ? 201 : 200, expect.any(String)])
  return answer.body as StaffProductCard
}
const card = async (of = id) => (await send('GET', `/${of}`)).body as StaffProductCard
async function idOf(externalId: string): Promise<number> {
  const products = world.shop.deps.db.selectFrom('products').where('external_id', '=', externalId)
  return (await products.select('id').executeTakeFirstOrThrow()).id
}
/** @returns the counts of products */
async function sync(full = false) {
  const run = await world.sync({ full })
  expect(run).toMatchObject({ status: 'SUCCEEDED', error: null })
  return run.types.find(({ syncType }) => syncType === 'PRODUCTS')
}
/** Changes p1 at the supplier and syncs. */
function syncChange(fields: object) {
  const change = { ...fields, updatedAt: wireDate(new Date()) }
  const { lists } = world.supplier
  lists.ListProducts = lists.ListProducts.map((one) => (one.id === 'p1' ? { ...one, ...change } : one))
  return sync()
}
const kept = () => {
  const products = world.shop.deps.db.selectFrom('products').select(['supplier_name', 'supplier_description'])
  return products.where('id', '=', id).executeTakeFirstOrThrow()
}
const OWN = { name: 'Своё имя', description: 'Своё описание' }
const ALL = { clearOverrides: ['name', 'description', 'categoryId', 'brandId'] }

test('keeps the supplier’s value of each overridden field up to date, and shows it to staff alone', async () => {
  expect(await card()).toMatchObject({ overrides: [], supplier: {} })
  const own = { ...OWN, categoryId: categories.c2?.id, brandId: null }
  const { updatedAt, supplier } = await edit(own)
  expect(supplier).toEqual({
    name: 'Product p1',
    description: 'From the supplier',
    category: expect.objectContaining(categories.c1),
    brand: expect.objectContaining(brands.b1),
  })
  // Further edits leave it.
  expect(await edit({ name: 'Другое имя', description: null })).toMatchObject({ supplier, version: 3 })
  expect(await edit(OWN)).toMatchObject({ supplier, version: 4 })

  const client = await openEvents(world.shop.url)
  await client.subscribe(['products'])
  const shown = await card()
  for (const [change, said] of [
    [{ name: 'His new name' }, { name: 'His new name' }],
    [{ description: null }, { description: null }],
    [{ categoryId: null }, { category: null }],
    [{ brandId: 'b2' }, { brand: brands.b2 }],
  ] as const) {
    expect(await syncChange(change)).toMatchObject({ updated: 0, unchanged: 1 })
    expect((await card()).supplier).toMatchObject(said)
  }
  expect(await card()).toEqual({
    ...shown,
    supplier: {
      name: 'His new name',
      description: null,
      category: null,
      brand: expect.objectContaining(brands.b2),
    },
  })
  expect(shown.updatedAt > updatedAt).toBe(true)
  expect(await syncChange({ name: 'Third name', price: 7 })).toMatchObject({ updated: 1 })
  expect(await card()).toMatchObject({ ...OWN, price: 7, version: 4, supplier: { name: 'Third name' } })
  // Customers are shown nothing else, so only the new price is announced.
  expect(await client.next('products.changed')).toMatchObject({ ids: [id] })
  expect(client.messages.filter(({ type }) => type === 'products.changed')).toHaveLength(1)
  client.socket.close()
  for (const path of [`/${id}`, '?size=1', '/by-slug/product-p1']) {
    expect((await world.shop.call('GET', PRODUCTS + path)).text).not.toContain('Third name')
  }
  // Of a field that isn't overridden there is no second value.
  await edit({ clearOverrides: ['name'] })
  expect(await kept()).toEqual({ supplier_name: null, supplier_description: null })
  expect(Object.keys((await card()).supplier)).toEqual(['description', 'category', 'brand'])
})

test('writes no row that the supplier leaves as it is', async () => {
  await edit({ ...OWN, categoryId: null, brandId: brands.b2?.id })
  await syncChange({ name: 'His new name', categoryId: 'c2' })
  const versions = () =>
    world.shop.deps.db
      .selectFrom('products')
      .select((eb) => ['id', eb.cast<string>('xmin' as 'id', 'text').as('xmin')])
      .orderBy('id')
      .execute()
  const before = await versions()
  expect(await sync(true)).toMatchObject({ updated: 0, unchanged: 3 })
  expect(await versions()).toEqual(before)
})

test('takes the supplier’s values back at once', async () => {
  await edit({ name: 'Своя дрель', description: null, categoryId: null, brandId: brands.b2?.id })
  await syncChange({ name: 'Hammer of his', description: 'His words', categoryId: 'c2' })
  for (const on of [world.shop, other]) {
    expect((await on.call('GET', `${PRODUCTS}/suggest?q=hammer`)).text).not.toContain('Hammer of his')
  }
  world.takeAsked('ListProducts')
  const supplied = {
    name: 'Hammer of his',
    description: 'His words',
    category: { id: categories.c2?.id },
    brand: { id: brands.b1?.id },
  }
  const cleared = await edit(ALL)
  expect(cleared).toMatchObject({ ...supplied, slug: 'product-p1', overrides: [], supplier: {}, version: 3 })
  expect(await edit(ALL)).toEqual(cleared)
  expect(await kept()).toEqual({ supplier_name: null, supplier_description: null })
  for (const on of [world.shop, other]) {
    const get = async (path: string) => (await on.call('GET', PRODUCTS + path)).body
    await expect.poll(() => get(`/${id}`), SOON).toMatchObject(supplied)
    await expect.poll(() => get('?search=hammer'), SOON).toMatchObject({ content: [supplied] })
    await expect
      .poll(() => get(`?search=hammer&categoryId=${categories.c2?.id}`), SOON)
      .toMatchObject({ content: [{ id }] })
    await expect.poll(() => get('/suggest?q=hammer'), SOON).toMatchObject({ products: [{ name: 'Hammer of his' }] })
  }
  await rebuild(world.shop.deps, 'feed')
  expect((await world.shop.call('GET', '/api/v1/yml-catalog.xml')).text).toContain('Hammer of his')
  const entries = (await world.shop.call('GET', `/api/v1/admin/audit?entity=PRODUCT&entityId=${id}`, { token: admin }))
    .body as { content: unknown[] }
  expect(entries.content[0]).toMatchObject({
    before: { name: 'Своя дрель', description: null, overrides: ['name', 'description', 'categoryId', 'brandId'] },
    after: { name: 'Hammer of his', categoryId: categories.c2?.id, brandId: brands.b1?.id, overrides: [] },
  })
  // Nothing is left for the next run, which asks for changes alone.
  expect(await sync()).toMatchObject({ fullLoad: false })
  expect(await syncChange({ name: 'Hammer II' })).toMatchObject({ updated: 1 })
  expect(await card()).toMatchObject({ name: 'Hammer II', version: 3 })
})

test('takes back that the supplier has none', async () => {
  await syncChange({ description: null, categoryId: null, brandId: null })
  await edit({ description: 'Своё', categoryId: categories.c1?.id, brandId: brands.b1?.id })
  expect(await card()).toMatchObject({ supplier: { description: null, category: null, brand: null } })
  expect(await edit(ALL)).toMatchObject({ description: null, category: null, brand: null, overrides: [] })
  // A value that is sent with it doesn't count, overridden or not.
  expect(await edit({ clearOverrides: ['name', 'description'], ...OWN })).toMatchObject({
    name: 'Product p1',
    description: null,
    overrides: [],
    version: 3,
  })
})

test('keeps an override with the supplier’s value until it is cleared', async () => {
  await edit({ name: 'Своё' })
  expect(await edit({ name: 'Product p1' })).toMatchObject({ overrides: ['name'], supplier: { name: 'Product p1' } })
  await syncChange({ name: 'Renamed' })
  expect(await card()).toMatchObject({ name: 'Product p1', supplier: { name: 'Renamed' } })
})

test('takes back a category moved by a bulk edit, and none if it was deleted or hasn’t arrived', async () => {
  const ids = [id, await idOf('p2')]
  await edit({ ids, set: { categoryId: categories.c2?.id } }, '')
  expect(await card()).toMatchObject({ overrides: ['categoryId'] })
  await edit({ ids, set: { categoryId: null } }, '')
  const placed = expect.objectContaining(categories.c1)
  expect(await card()).toMatchObject({ category: null, supplier: { category: placed } })
  expect(await edit({ clearOverrides: ['categoryId'] })).toMatchObject({ category: placed, overrides: [] })
  const deleted = await world.shop.call('DELETE', `/api/v1/categories/${categories.c2?.id}`, { token: admin })
  expect(deleted.status).toBe(204)
  const second = `/${ids[1]}`
  expect(await card(ids[1])).toMatchObject({ supplier: { category: null } })
  expect(await edit({ clearOverrides: ['categoryId'] }, second)).toMatchObject({ category: null, overrides: [] })

  await edit({ categoryId: null, brandId: null })
  await syncChange({ categoryId: 'late', brandId: 'late' })
  expect(await card()).toMatchObject({ supplier: { category: null, brand: null } })
  const late = () => ({ id: 'late', name: 'Late', updatedAt: wireDate(new Date()) })
  world.supplier.lists.ListCategories.push(late())
  await sync()
  expect(await card()).toMatchObject({ supplier: { category: { name: 'Late' }, brand: null } })
  expect(await edit(ALL)).toMatchObject({ category: { name: 'Late' }, brand: null, overrides: [] })
  world.supplier.lists.ListBrands.push(late())
  await sync()
  expect(await card()).toMatchObject({ brand: { name: 'Late' } })
})

test('knows the supplier’s values of a product that staff created after the next run', async () => {
  expect((await send('DELETE', `/${id}`)).status).toBe(204)
  const input = { externalId: 'p1', ...OWN, categoryId: categories.c2?.id }
  const back = await edit(input, '', 'POST')
  expect(back.supplier).toEqual({ description: null, category: null })
  // Until then the name stays, since a product has one.
  expect(await edit({ clearOverrides: ['name'] }, `/${back.id}`)).toMatchObject({ name: OWN.name, version: 2 })
  expect(await sync()).toMatchObject({ fullLoad: true, updated: 1 })
  expect(await card(back.id)).toMatchObject({
    name: 'Product p1',
    description: OWN.description,
    overrides: ['description', 'categoryId'],
    supplier: { description: 'From the supplier', category: categories.c1 },
  })
  expect(await edit(ALL, `/${back.id}`)).toMatchObject({ description: 'From the supplier', category: categories.c1 })
})

test('keeps the supplier’s last description while a new one can’t be used', async () => {
  await edit(OWN)
  await syncChange({ price: 7, description: ['x'] })
  expect(await card()).toMatchObject({ ...OWN, price: 7, supplier: { description: 'From the supplier' } })
})

test('refuses a clear that expects another version, and counts it as one', async () => {
  await edit(OWN)
  const clear = { clearOverrides: ['name'] }
  expect(await send('PATCH', `/${id}`, clear, '"1"')).toMatchObject({
    status: 412,
    body: { current: { version: 2, supplier: { name: 'Product p1' } } },
  })
  // A sync makes no open form stale.
  await syncChange({ name: 'Renamed' })
  expect(await send('PATCH', `/${id}`, clear, '"2"')).toMatchObject({
    status: 200,
    body: { name: 'Renamed', version: 3 },
  })
})
