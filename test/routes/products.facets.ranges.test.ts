import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Facets } from '../../src/schemas/product-search.ts'
import { createBrand, createCategory, createProduct } from '../support/factories.ts'
import { startTestShop, type TestShop } from '../support/shop.ts'

// docs/search.md, "Facets".
let shop: TestShop
let brandId: number
let top: number
let saws: number
let drills: number
let hammers: number

beforeAll(async () => {
  shop = await startTestShop()
  const { db } = shop.deps
  brandId = await createBrand(db, 'Vektor')
  top = await createCategory(db, { name: 'Инструмент', slug: 'tools' })
  saws = await createCategory(db, { name: 'Пилы', slug: 'saws', parentId: top })
  drills = await createCategory(db, { name: 'Дрели', slug: 'drills', parentId: top })
  hammers = await createCategory(db, { name: 'Ударные', slug: 'hammers', parentId: drills })
  const add = (categoryId: number, power: string, weight: string, mixed: string) => {
    const attributes = [
      { name: 'Мощность', value: power },
      { name: 'Вес', value: weight },
      { name: 'Длина', value: mixed },
    ]
    return createProduct(db, { brandId, categoryId, attributes })
  }
  await add(saws, '900 Вт', '1,5', '2 м')
  await add(drills, '1400 вт', '2.25', '30 см')
  await add(hammers, '550 Вт', '3', 'разная')
  await add(hammers, '550 ВТ', '10', '2 м')
})
afterAll(() => shop.close())

const call = (path: string) => shop.call('GET', `/api/v1/products${path}`)
const facets = async (query: string) => (await call(`/facets?${query}`)).body as Facets
const total = async (query: string) => ((await call(`?${query}`)).body as { totalElements: number }).totalElements
const attribute = async (name: string, query = '') =>
  (await facets(query)).attributes.find((facet) => facet.name === name)

test('an attribute whose values are numbers of one unit has their range', async () => {
  expect(await attribute('Мощность')).toMatchObject({ min: 550, max: 1400 })
  expect(await attribute('Вес')).toMatchObject({ min: 1.5, max: 10 })
  expect(await attribute('Длина')).toMatchObject({ min: null, max: null })
  expect(await attribute('Мощность', `categoryId=${drills}`)).toMatchObject({ min: 550, max: 1400 })
  expect(await attribute('Мощность', `categoryId=${saws}`)).toMatchObject({ min: 900, max: 900 })
})

test.each([
  ['attr.Мощность.min=900', 2],
  ['attr.Мощность.max=900', 3],
  ['attr.мощность.min=551&attr.МОЩНОСТЬ.max=1000', 1],
  ['attr.Вес.max=2,25', 2],
  ['attr.Вес.min=2.25&attr.Мощность.max=550', 2],
  ['attr.Мощность.min=900&attr.Мощность=550 Вт', 0],
  ['attr.Нет.min=1', 0],
])('%s narrows list and facets, which agree', async (query, count) => {
  expect(await total(query)).toBe(count)
  const { brands, categories, attributes } = await facets(query)
  for (const { id, count } of brands) expect(await total(`${query}&brandId=${id}`)).toBe(count)
  for (const { slug, count } of categories) expect(await total(`${query}&categorySlug=${slug}`)).toBe(count)
  for (const { name, values } of attributes.filter(
    (facet) => !query.toLowerCase().includes(facet.name.toLowerCase()),
  )) {
    for (const { value, count } of values) expect(await total(`${query}&attr.${name}=${value}`)).toBe(count)
  }
})

test('a range ignores itself: its facet shows what the other filters leave', async () => {
  expect(await attribute('Мощность', 'attr.Мощность.min=900')).toMatchObject({ min: 550, max: 1400 })
  expect(await attribute('Вес', 'attr.Мощность.min=900')).toMatchObject({ min: 1.5, max: 2.25 })
})

test.each(['attr.Вес.min=much', 'attr.Вес.max=', 'attr.Вес.min=1&attr.Вес.min=2', 'attr.Вес.max=1e3'])(
  'rejects %s and names it',
  async (query) => {
    const { status, body } = await call(`?${query}`)
    expect(status).toBe(400)
    expect(body).toMatchObject({ details: [{ path: `querystring.${query.split('=')[0]}` }] })
  },
)

test('categories say how they are related to the chosen one, brands and categories have a slug', async () => {
  const relations = async (query: string) =>
    Object.fromEntries(
      (await facets(query)).categories.map(({ slug, relation, parentId }) => [slug, [relation, parentId]]),
    )
  expect(await relations('')).toEqual({ tools: ['top', null] })
  for (const query of [`categoryId=${drills}`, 'categorySlug=drills']) {
    expect(await relations(query)).toEqual({
      drills: ['self', top],
      saws: ['sibling', top],
      hammers: ['child', drills],
    })
  }
  expect(await relations(`categoryId=${top}`)).toEqual({
    tools: ['self', null],
    saws: ['child', top],
    drills: ['child', top],
  })
  expect(await relations('search=product')).toMatchObject({ tools: ['top', null], hammers: ['child', drills] })
  expect((await facets('')).brands).toEqual([{ id: brandId, name: 'Vektor', slug: expect.any(String), count: 4 }])
  expect(saws).toBeLessThan(hammers)
})
