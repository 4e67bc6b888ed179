import { afterAll, beforeAll, expect, test } from 'vitest'
import { loginAs } from '../../support/accounts.ts'
import { type ScriptedShop, startScriptedShop, wireDate, wireProduct } from '../../support/scripted-supplier.ts'

// What appears or vanishes while nothing else of the record changes. In SQL `<>` with null is not true.

let world: ScriptedShop
let admin: string

beforeAll(async () => {
  world = await startScriptedShop()
  admin = await loginAs(world.shop, 'ADMIN')
})
afterAll(() => world.close())

const time = wireDate(new Date('2026-01-01T00:00:00Z'))
const listed = (id: string, parentId: string | null = null) => ({ id, name: id, parentId, updatedAt: time })

async function syncProduct(fields: object) {
  const { supplier } = world
  supplier.lists = {
    ListCategories: [listed('tools'), listed('drills')],
    ListBrands: [listed('brand')],
    ListProducts: [wireProduct('one', { price: null, categoryId: null, brandId: null, description: null, ...fields })],
  }
  await world.sync({ full: true })
  const { body } = await world.shop.call('GET', '/api/v1/products?search=one', { token: admin })
  const [product] = Object(body).content
  const { text } = await world.shop.call('GET', `/api/v1/products/${product.id}`, { token: admin })
  return { listed: product, card: JSON.parse(text) }
}

test.each([
  ['price', { price: 10 }, 'price', 10],
  ['description', { description: '<p>Some</p>' }, 'description', '<p>Some</p>'],
  ['categoryId', { categoryId: 'drills' }, 'category', expect.objectContaining({ name: 'drills' })],
  ['brandId', { brandId: 'brand' }, 'brand', expect.objectContaining({ name: 'brand' })],
])('%s of a product that appears alone, and vanishes again, is stored', async (_field, fields, member, value) => {
  const without = await syncProduct({})
  expect(without.card[member]).toBeNull()
  const found = await syncProduct(fields)
  expect(found.card[member]).toEqual(value)
  if (member in found.listed) expect(found.listed[member]).toEqual(value)
  const again = await syncProduct({})
  expect(again.card[member]).toBeNull()
})

test('a category that moves below another, and back, moves', async () => {
  const tree = async () => {
    const { body } = await world.shop.call('GET', '/api/v1/categories', { token: admin })
    const rows: { id: number; name: string; parentId: number | null }[] = Object(body)
    const drills = rows.find(({ name }) => name === 'drills')
    return rows.find(({ id }) => id === drills?.parentId)?.name ?? null
  }
  const { supplier } = world
  const found: (string | null)[] = []
  for (const parentId of [null, 'tools', null]) {
    supplier.lists = { ListCategories: [listed('tools'), listed('drills', parentId)], ListBrands: [], ListProducts: [] }
    await world.sync({ full: true })
    found.push(await tree())
  }
  expect(found).toEqual([null, 'tools', null])
})

test('a product gets the category and the brand that the supplier lists later', async () => {
  const { supplier } = world
  const product = wireProduct('early', { categoryId: 'late', brandId: 'late' })
  const shown = async () => {
    const { body } = await world.shop.call('GET', '/api/v1/products?search=early', { token: admin })
    return Object(body).content[0]
  }
  supplier.lists = { ListCategories: [], ListBrands: [], ListProducts: [product] }
  await world.sync({ full: true })
  expect(await shown()).toMatchObject({ category: null, brand: null })
  supplier.lists = { ListCategories: [listed('late')], ListBrands: [], ListProducts: [product] }
  await world.sync({ full: true })
  expect(await shown()).toMatchObject({ category: { name: 'late' }, brand: null })
  supplier.lists = { ListCategories: [listed('late')], ListBrands: [listed('late')], ListProducts: [product] }
  await world.sync({ full: true })
  expect(await shown()).toMatchObject({ category: { name: 'late' }, brand: { name: 'late' } })
})
