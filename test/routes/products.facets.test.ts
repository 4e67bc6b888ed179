import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Facets } from '../../src/schemas/product-search.ts'
import { createBrand, createCategory, createProduct } from '../support/factories.ts'
import { placeOrder } from '../support/orders.ts'
import { startTestShop, type TestShop } from '../support/shop.ts'

let shop: TestShop
let other: TestShop
const brands: Record<string, number> = {}
const categories: Record<string, number> = {}
const products: Record<string, number> = {}

beforeAll(async () => {
  shop = await startTestShop({ RATE_LIMIT_ORDERS: '0' })
  other = await startTestShop({}, { databaseUrl: shop.deps.config.databaseUrl })
  const { db } = shop.deps
  for (const name of ['Vektor', 'Sokol']) brands[name] = await createBrand(db, name)
  categories.top = await createCategory(db, { name: 'Инструмент' })
  categories.drills = await createCategory(db, { name: 'Дрели', parentId: categories.top })
  categories.hidden = await createCategory(db, { name: 'Склад', enabled: false })
  const add = async (key: string, input: Parameters<typeof createProduct>[1]) => {
    products[key] = await createProduct(db, { stock: 1, ...input })
  }
  const colour = (value: string, source: 'EXTERNAL' | 'MANUAL' = 'EXTERNAL') => ({
    name: 'Цвет',
    value,
    source,
  })
  const { Vektor: brandId, Sokol: otherBrand } = brands
  await add('red', {
    name: 'Дрель красная',
    brandId,
    categoryId: categories.drills,
    price: '100',
    attributes: [colour('красный'), { name: 'Патрон', value: 'SDS' }],
  })
  await add('blue', {
    name: 'Дрель синяя',
    brandId,
    categoryId: categories.drills,
    price: '200.50',
    attributes: [colour('синий'), { name: 'Патрон', value: 'ключевой' }],
  })
  await add('repainted', {
    name: 'Пила',
    brandId: otherBrand,
    categoryId: categories.top,
    price: '300',
    attributes: [colour('красный'), colour('СИНИЙ', 'MANUAL')],
  })
  await add('priceless', {
    name: 'Пила без цены',
    brandId: otherBrand,
    categoryId: categories.hidden,
    price: null,
    stock: 0,
  })
  await add('inactive', {
    name: 'Дрель снятая',
    brandId,
    categoryId: categories.drills,
    activeOverride: false,
    attributes: [colour('красный')],
  })
})
afterAll(async () => {
  await other.close()
  await shop.close()
})

type Filter = Record<string, string | string[]>

const query = (filter: Filter) =>
  new URLSearchParams(
    Object.entries(filter).flatMap(([name, values]) => [values].flat().map((value): [string, string] => [name, value])),
  )
const facets = async (filter: Filter = {}, of = shop) => {
  const { status, body, text } = await of.call('GET', `/api/v1/products/facets?${query(filter)}`)
  expect([status, text]).toEqual([200, expect.any(String)])
  return body as Facets
}
const listed = async (filter: Filter) => {
  const { body } = await shop.call('GET', `/api/v1/products?${query(filter)}`)
  return (body as { content: { id: number }[] }).content.map(({ id }) => id)
}
const countsOf = (facet: { name: string; count: number }[]) =>
  Object.fromEntries(facet.map(({ name, count }) => [name, count]))
const valuesOf = ({ attributes }: Facets, wanted: string) =>
  Object.fromEntries(
    (attributes.find(({ name }) => name === wanted)?.values ?? []).map(({ value, count }) => [value, count]),
  )

test('counts all active products and leaves out hidden categories', async () => {
  const all = await facets()
  expect(countsOf(all.brands)).toEqual({ Vektor: 2, Sokol: 2 })
  expect(countsOf(all.categories)).toEqual({ Инструмент: 3 })
  expect(all.price).toEqual({ min: 100, max: 300 })
  // A MANUAL attribute hides the EXTERNAL one of its name.
  expect(all.attributes).toEqual([
    {
      name: 'Цвет',
      unit: null,
      min: null,
      max: null,
      values: [
        { value: 'СИНИЙ', count: 2 },
        { value: 'красный', count: 1 },
      ],
    },
    {
      name: 'Патрон',
      unit: null,
      min: null,
      max: null,
      values: [
        { value: 'SDS', count: 1 },
        { value: 'ключевой', count: 1 },
      ],
    },
  ])
})

test('counts each facet without its own filter and with all others', async () => {
  const blue = await facets({ 'attr.Цвет': 'синий' })
  expect(valuesOf(blue, 'Цвет')).toEqual({ СИНИЙ: 2, красный: 1 })
  expect(valuesOf(blue, 'Патрон')).toEqual({ ключевой: 1 })
  expect(countsOf(blue.brands)).toEqual({ Vektor: 1, Sokol: 1 })
  const vektor = await facets({ brandId: `${brands.Vektor}`, 'attr.Цвет': 'синий' })
  expect(countsOf(vektor.brands)).toEqual({ Vektor: 1, Sokol: 1 })
  expect(valuesOf(vektor, 'Цвет')).toEqual({ СИНИЙ: 1, красный: 1 })
  expect(vektor.price).toEqual({ min: 200.5, max: 200.5 })
  const cheap = await facets({ maxPrice: '150', categoryId: `${categories.drills}` })
  expect(cheap.price).toEqual({ min: 100, max: 200.5 })
  expect(countsOf(cheap.categories)).toEqual({ Дрели: 1 })
})

test('lists the top level, all categories of a search, or the chosen one with its siblings and children', async () => {
  const { db } = shop.deps
  const garden = await createCategory(db, { name: 'Сад' })
  const deep = await createCategory(db, { name: 'Ударные', parentId: categories.drills ?? null })
  const saws = await createCategory(db, { name: 'Пилы', parentId: categories.top ?? null })
  const added = await Promise.all([garden, deep, saws].map((categoryId) => createProduct(db, { categoryId })))
  shop.deps.caches.clear()
  const offered = async (categoryId?: number) =>
    countsOf((await facets(categoryId ? { categoryId: `${categoryId}` } : {})).categories)
  const top = { Инструмент: 5, Сад: 1 }
  expect(await offered()).toEqual(top)
  const found = await facets({ search: 'дрель' })
  expect(Object.keys(countsOf(found.categories)).sort()).toEqual(['Дрели', 'Инструмент'])
  expect(await offered(categories.top)).toEqual({ ...top, Дрели: 3, Пилы: 1 })
  expect(await offered(categories.drills)).toEqual({ Дрели: 3, Пилы: 1, Ударные: 1 })
  expect(await offered(saws)).toEqual({ Дрели: 3, Пилы: 1 })
  expect(await offered(categories.hidden)).toEqual(top)
  await db.deleteFrom('products').where('id', 'in', added).execute()
  await db.deleteFrom('categories').where('id', 'in', [garden, deep, saws]).execute()
  shop.deps.caches.clear()
})

test('counts what a search finds, corrected or not, and nothing for a filter that cannot match', async () => {
  expect(countsOf((await facets({ search: 'дрели' })).brands)).toEqual({ Vektor: 2 })
  expect(countsOf((await facets({ search: 'дрелт красная' })).brands)).toEqual({ Vektor: 1 })
  const impossible: Filter[] = [
    { search: 'qqqqwwww' },
    { categoryId: '999999' },
    { tagId: '999999' },
    { minPrice: '9', maxPrice: '1' },
  ]
  for (const filter of impossible) {
    expect(await facets(filter)).toEqual({ brands: [], categories: [], price: null, attributes: [] })
  }
})

test.each(['sort=colour', 'sort=id&sort=id', 'without=colour', 'without=image&without=price'])(
  'ignores the parameter of lists in ?%s',
  async (query) => {
    const { status, headers } = await shop.call('GET', `/api/v1/products/facets?${query}`)
    expect([status, headers.get('x-unknown-parameters')]).toEqual([200, query.split('=')[0]])
  },
)

test('lists as many products as the facets count', async () => {
  expect(await listed({ 'attr.Цвет': 'синий' })).toEqual([products.blue, products.repainted])
  expect(await listed({ 'attr.Цвет': ['синий', 'красный'] })).toEqual([products.red, products.blue, products.repainted])
  expect(await listed({ 'attr.Цвет': ['синий', 'красный'], 'attr.Патрон': 'SDS' })).toEqual([products.red])
  expect(await listed({ 'attr.Цвет': 'зелёный' })).toEqual([])
  expect(await listed({ brandId: `${brands.Sokol}, ${brands.Vektor}` })).toHaveLength(4)
  expect(await listed({ brandId: `${brands.Sokol}` })).toEqual([products.repainted, products.priceless])
  expect(await listed({ inStock: 'true' })).toEqual([products.red, products.blue, products.repainted])
  expect(await listed({ inStock: 'false' })).toHaveLength(4)
})

test.each([
  'brandId=1.5',
  'brandId=a',
  'brandId=1,,2',
  'brandId=99999999999',
  'inStock=maybe',
  `attr.x=${'y'.repeat(501)}`,
  Array.from({ length: 11 }, (_, n) => `attr.n${n}=1`).join('&'),
])('rejects %s with 400 in a list and in its facets', async (text) => {
  for (const path of ['/api/v1/products', '/api/v1/products/facets']) {
    expect(await shop.call('GET', `${path}?${text}`)).toMatchObject({
      status: 400,
      body: { code: 'VALIDATION_FAILED' },
    })
  }
})

test('counts an order for the last unit, and any other change, at once on every instance', async () => {
  const { db } = shop.deps
  const inStock = { inStock: 'true', search: 'дрель' }
  for (const one of [shop, other]) expect(countsOf((await facets(inStock, one)).brands)).toEqual({ Vektor: 2 })
  expect(await listed(inStock)).toHaveLength(2)
  await placeOrder(shop, [{ productId: products.red ?? 0, quantity: 1 }])
  expect(countsOf((await facets(inStock)).brands)).toEqual({ Vektor: 1 })
  expect(await listed(inStock)).toEqual([products.blue])
  await expect.poll(async () => countsOf((await facets(inStock, other)).brands)).toEqual({ Vektor: 1 })
  // Without the listener nothing is cached.
  shop.deps.caches.setTrusted(false)
  await db
    .updateTable('products')
    .set({ active_override: false })
    .where('id', '=', products.blue ?? 0)
    .execute()
  expect(countsOf((await facets({ search: 'дрель' })).brands)).toEqual({ Vektor: 1 })
})

test('counts what the list finds, whatever the filter', async () => {
  shop.deps.caches.setTrusted(true)
  const filters: Filter[] = [
    {},
    { brandId: `${brands.Vektor}` },
    { categoryId: `${categories.top}` },
    { minPrice: '150' },
    { inStock: 'true' },
    { 'attr.Цвет': 'красный' },
    { search: 'дрель' },
  ]
  for (const filter of filters) {
    const counted = await facets(filter)
    const narrowed = [
      ...counted.brands.map(({ id, count }) => ({ narrow: { brandId: `${id}` }, count })),
      ...counted.categories.map(({ id, count }) => ({ narrow: { categoryId: `${id}` }, count })),
      ...counted.attributes.flatMap(({ name, values }) =>
        values.map(({ value, count }) => ({ narrow: { [`attr.${name}`]: value }, count })),
      ),
    ]
    expect(narrowed.length).toBeGreaterThan(2)
    for (const { narrow, count } of narrowed) {
      const { length } = await listed({ ...filter, ...narrow })
      expect([filter, narrow, count]).toEqual([filter, narrow, length])
    }
  }
})
