import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import type { Trx } from '../../../db/database.ts'
import type { StaffProductCard as ProductCard } from '../../../src/schemas/products.ts'
import { loginAs } from '../../support/accounts.ts'
import { untilWaiting, whileLocked } from '../../support/locks.ts'
import { availableOf, placeOrder } from '../../support/orders.ts'
import { type ScriptedShop, startScriptedShop, wireDate, wireProduct } from '../../support/scripted-supplier.ts'

let world: ScriptedShop
let admin: string

beforeAll(async () => {
  world = await startScriptedShop({ RATE_LIMIT_ORDERS: '0' })
  admin = await loginAs(world.shop, 'ADMIN')
})
afterAll(() => world.close())
beforeEach(async () => {
  await world.startOver()
  world.supplier.lists = {
    ListCategories: ['c1', 'c2'].map((id) => ({ id, name: `Category ${id}`, updatedAt: LONG_AGO })),
    ListBrands: [{ id: 'b1', name: 'Brand b1', updatedAt: LONG_AGO }],
    ListProducts: [product('p1'), product('p2')],
  }
  await world.sync()
})

const LONG_AGO = wireDate(new Date('2026-01-01T00:00:00Z'))
const product = (id: string, fields = {}) =>
  wireProduct(id, { description: 'From the supplier', categoryId: 'c1', brandId: 'b1', ...fields })
const PRODUCTS = '/api/v1/products'
const send = (method: string, path: string, body?: unknown) =>
  world.shop.call(method, PRODUCTS + path, { token: admin, ...(body === undefined ? {} : { body }) })
async function edit(method: string, path: string, body?: unknown): Promise<ProductCard> {
  const answer = await send(method, path, body)
  expect([answer.status, answer.text]).toEqual([method === 'POST' ? 201 : 200, expect.any(String)])
  return answer.body as ProductCard
}
const card = async (id: number) => (await send('GET', `/${id}`)).body as ProductCard
async function idOf(externalId: string): Promise<number> {
  const row = await world.shop.deps.db
    .selectFrom('products')
    .select('id')
    .where('external_id', '=', externalId)
    .executeTakeFirst()
  return row?.id ?? 0
}
/** Changes a product at the supplier and syncs. @returns the counts of products */
async function syncChange(id: string, fields: object, full = false) {
  world.supplier.lists.ListProducts = world.supplier.lists.ListProducts.map((one) =>
    one.id === id ? { ...one, ...fields, updatedAt: wireDate(new Date()) } : one,
  )
  return products(await world.sync({ full }))
}
const products = (run: Awaited<ReturnType<ScriptedShop['sync']>>) => {
  expect(run).toMatchObject({ status: 'SUCCEEDED' })
  return run.types.find(({ syncType }) => syncType === 'PRODUCTS')
}
const category = async (externalId: string) =>
  world.shop.deps.db
    .selectFrom('categories')
    .select('id')
    .where('external_id', '=', externalId)
    .executeTakeFirstOrThrow()

test('keeps fields overridden by staff', async () => {
  const id = await idOf('p1')
  const second = (await category('c2')).id
  const taken = { name: 'Своё имя', description: 'Своё описание', categoryId: second, brandId: null }
  expect(await edit('PATCH', `/${id}`, taken)).toMatchObject({
    name: 'Своё имя',
    category: { id: second },
    brand: null,
    version: 2,
    overrides: ['name', 'description', 'categoryId', 'brandId'],
  })
  const change = {
    name: 'His new name',
    description: 'His new words',
    price: 250,
    stock: 9,
    categoryId: null,
  }
  expect(await syncChange('p1', change)).toMatchObject({ updated: 1 })
  const after = await card(id)
  expect(after).toMatchObject({
    name: 'Своё имя',
    description: 'Своё описание',
    category: { id: second },
    brand: null,
    price: 250,
    stock: 9,
    version: 2,
    slug: 'product-p1',
  })
  // Overridden fields are no difference.
  expect(products(await world.sync({ full: true }))).toMatchObject({ updated: 0, unchanged: 2 })
  expect(await card(id)).toEqual(after)
})

test('overrides nothing when a record is saved unchanged', async () => {
  const id = await idOf('p1')
  const { name, description, category: placed, brand, price, stock, active } = await card(id)
  const whole = { name, description, price, stock, active, categoryId: placed?.id, brandId: brand?.id }
  expect(await edit('PUT', `/${id}`, whole)).toMatchObject({
    version: 1,
    overrides: [],
    activeOverride: null,
  })
  expect(await edit('PUT', `/${id}`, { ...whole, description: 'Лучше' })).toMatchObject({
    version: 2,
    overrides: ['description'],
  })
  await syncChange('p1', { active: false, name: 'Renamed' })
  expect(await card(id)).toMatchObject({ active: false, name: 'Renamed', description: 'Лучше' })
  // Sent alone, the value is an override.
  expect(await edit('PATCH', `/${id}`, { active: true })).toMatchObject({
    active: true,
    activeOverride: true,
  })
  await syncChange('p1', { price: 7 })
  expect(await card(id)).toMatchObject({ active: true, price: 7 })
  expect(await edit('PATCH', `/${id}`, { active: null })).toMatchObject({ active: false })
})

test('does not relink a category that staff removed', async () => {
  world.supplier.lists.ListProducts.push(
    product('p3', { categoryId: 'late', brandId: 'late', updatedAt: wireDate(new Date()) }),
  )
  await world.sync()
  const id = await idOf('p3')
  const { id: first } = await category('c1')
  await edit('PATCH', `/${id}`, { categoryId: first })
  await edit('PATCH', `/${id}`, { categoryId: null })
  world.supplier.lists.ListCategories.push({ id: 'late', name: 'Late', updatedAt: wireDate(new Date()) })
  world.supplier.lists.ListBrands.push({ id: 'late', name: 'Late', updatedAt: wireDate(new Date()) })
  await world.sync()
  expect(await card(id)).toMatchObject({ category: null, brand: { name: 'Late' }, overrides: ['categoryId'] })
  expect(await edit('PATCH', `/${id}`, { clearOverrides: ['categoryId'] })).toMatchObject({
    category: { name: 'Late' },
  })
})

test('does not recreate a deleted product, and counts it as unchanged', async () => {
  const id = await idOf('p1')
  expect((await send('DELETE', `/${id}`)).status).toBe(204)
  expect(await syncChange('p1', { name: 'Again' })).toMatchObject({
    seen: 1,
    created: 0,
    updated: 0,
    unchanged: 1,
  })
  const full = await world.sync({ full: true })
  expect(full.warnings).toEqual([])
  expect(products(full)).toMatchObject({ seen: 2, created: 0, updated: 0, unchanged: 2, deactivated: 0 })
  expect(await world.active()).toEqual(['p2'])
  // Nor is it missed when the supplier removes it.
  world.supplier.lists.ListProducts = [product('p2')]
  const gone = await world.sync({ full: true })
  expect([gone.warnings, products(gone)?.deactivated]).toEqual([[], 0])
})

test('restores a deleted product by POST, fills it with the next run and keeps overrides', async () => {
  const id = await idOf('p1')
  const order = await placeOrder(world.shop, [{ productId: id, quantity: 2 }])
  await send('DELETE', `/${id}`)
  await world.sync()
  const back = await edit('POST', '', { externalId: 'p1', name: 'Вернулся' })
  expect(back).toMatchObject({
    externalId: 'p1',
    active: false,
    price: null,
    overrides: ['name'],
  })
  expect(await send('POST', '', { externalId: 'p1', name: 'Ещё раз' })).toMatchObject({
    status: 409,
    body: { code: 'EXTERNAL_ID_TAKEN' },
  })
  // Although the supplier's record is unchanged, the run loads everything.
  expect(products(await world.sync())).toMatchObject({ fullLoad: true, updated: 1, created: 0 })
  expect(await card(back.id)).toMatchObject({
    name: 'Вернулся',
    description: 'From the supplier',
    active: true,
    price: 100,
    stock: 5,
    category: { name: 'Category c1' },
    brand: { name: 'Brand b1' },
    version: 1,
  })
  // The order's reservation counts again.
  expect(await availableOf(world.shop, back.id)).toBe(3)
  const { body } = await world.shop.call('GET', `/api/v1/admin/orders/${order.id}`, { token: admin })
  expect(body).toMatchObject({ items: [{ productId: back.id }] })
  expect(products(await world.sync())).toMatchObject({ fullLoad: false })
  expect(await edit('PATCH', `/${back.id}`, { clearOverrides: ['name'] })).toMatchObject({ name: 'Product p1' })
})

test('fills a restored product with the next run if the current one has passed it', async () => {
  await send('DELETE', `/${await idOf('p1')}`)
  world.supplier.lists.ListProducts = [product('p1'), product('p2', { price: 7 })]
  const { db } = world.shop.deps
  const waitedFor = await idOf('p2')
  const lock = (trx: Trx) => sql`select from products where id = ${waitedFor} for update`.execute(trx)
  const begun = await whileLocked(db, lock, async () => {
    // First the page waits, then the edit.
    const running = world.sync({ full: true })
    await untilWaiting(db, 1)
    const editing = edit('POST', '', { externalId: 'p1', name: 'Вернулся' })
    await untilWaiting(db, 2)
    return { running, editing }
  })
  const [run, back] = [await begun.running, await begun.editing]
  expect(products(run)).toMatchObject({ fullLoad: true, created: 0, updated: 1, unchanged: 1 })
  expect(products(await world.sync())).toMatchObject({ fullLoad: true, updated: 1 })
  expect(await card(back.id)).toMatchObject({ price: 100, active: true })
})

test('syncs a product created before the supplier lists it', async () => {
  const ahead = await edit('POST', '', { externalId: 'p9', name: 'Скоро', price: 10, stock: 1 })
  expect(ahead).toMatchObject({ active: false, price: 10, stock: 1 })
  // A product not listed yet is not missed.
  expect((await world.sync()).warnings).toEqual([])
  world.supplier.lists.ListProducts.push({ ...product('p9'), updatedAt: wireDate(new Date()) })
  expect(products(await world.sync())).toMatchObject({ created: 0, updated: 1 })
  expect(await card(ahead.id)).toMatchObject({ name: 'Скоро', active: true, price: 100, stock: 5 })
})

test('never changes products created by hand', async () => {
  const { id, version } = await edit('POST', '', { name: 'Ручной', price: 5, stock: 1, active: true })
  await world.sync({ full: true })
  expect(await edit('PATCH', `/${id}`, { price: 6, stock: 0, name: 'Иной' })).toMatchObject({
    price: 6,
    stock: 0,
    overrides: [],
    version: version === undefined ? 0 : version + 1,
  })
  const history = await world.shop.deps.db
    .selectFrom('stock')
    .select('quantity')
    .where('product_id', '=', id)
    .orderBy('id')
    .execute()
  expect(history.map(({ quantity }) => quantity)).toEqual([1, 0])
})
