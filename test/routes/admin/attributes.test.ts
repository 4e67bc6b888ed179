import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import type { Attribute, Facets } from '../../../src/schemas/product-search.ts'
import { loginAs } from '../../support/accounts.ts'
import { createProduct } from '../../support/factories.ts'
import { startTestShop, type TestShop } from '../../support/shop.ts'

let shop: TestShop
let other: TestShop
let admin: string

beforeAll(async () => {
  shop = await startTestShop()
  other = await startTestShop({}, { databaseUrl: shop.deps.config.databaseUrl })
  admin = await loginAs(shop, 'ADMIN')
  for (const attributes of PRODUCTS) await createProduct(shop.deps.db, { attributes })
  const many = Array.from({ length: 101 }, (_, n) => ({ name: 'Модель', value: `М${n}` }))
  await createProduct(shop.deps.db, { attributes: many })
  await createProduct(shop.deps.db, {
    activeOverride: false,
    attributes: [
      { name: 'Цвет', value: 'красный' },
      { name: 'Снятый', value: 'да' },
    ],
  })
})
beforeEach(async () => {
  await shop.deps.db.deleteFrom('attribute_settings').execute()
  for (const { deps } of [shop, other]) deps.caches.clear()
})
afterAll(async () => {
  await other.close()
  await shop.close()
})

const ODD_NAME = `Мощн./"ток" %2F ?#&=+\\;'`
const PRODUCTS = [
  [
    { name: 'Цвет', value: 'Зелёный  лес' },
    { name: 'Гарантия', value: '1 год' },
    { name: ODD_NAME, value: '1' },
  ],
  [
    { name: 'Цвет', value: 'зеленый\u00a0лес' },
    { name: 'Цвет', value: 'ЗЕЛЁНЫЙ ЛЕС' },
    { name: ODD_NAME, value: '2' },
  ],
  [
    { name: 'Цвет', value: 'зеленый\u00a0лес' },
    { name: 'Гарантия', value: '2 года', source: 'MANUAL' as const },
  ],
  [
    { name: 'Цвет', value: 'красный' },
    { name: 'Состояние', value: 'новое' },
  ],
]

const PATH = '/api/v1/admin/attributes'
const list = async () => (await shop.call('GET', PATH, { token: admin })).body as Attribute[]
const put = (name: string, body: object, token = admin) =>
  shop.call('PUT', `${PATH}/${encodeURIComponent(name)}`, { token, body })
const facets = async (of = shop) => ((await of.call('GET', '/api/v1/products/facets')).body as Facets).attributes
const namesOf = (attributes: { name: string }[]) => attributes.map(({ name }) => name)

test('lists the attributes of active products; those with 2 to 100 values are facets', async () => {
  const rest = { position: null, unit: null, version: 0 }
  expect(await list()).toEqual([
    { name: 'Цвет', products: 4, values: 2, filterable: true, ...rest },
    { name: 'Гарантия', products: 2, values: 2, filterable: true, ...rest },
    { name: ODD_NAME, products: 2, values: 2, filterable: true, ...rest },
    { name: 'Модель', products: 1, values: 101, filterable: false, ...rest },
    { name: 'Состояние', products: 1, values: 1, filterable: false, ...rest },
  ])
  expect(namesOf(await facets())).toEqual(['Цвет', 'Гарантия', ODD_NAME])
})

test('shows a value once, as most products write it, and finds it in any spelling', async () => {
  const [colour] = await facets()
  expect(colour?.values).toEqual([
    { value: 'зеленый\u00a0лес', count: 3 },
    { value: 'красный', count: 1 },
  ])
  for (const value of ['ЗЕЛЕНЫЙ ЛЕС', ' зелёный   лес ', 'зеле\u0308ный лес']) {
    const { body } = await shop.call('GET', `/api/v1/products?${new URLSearchParams({ 'attr.Цвет': value })}`)
    expect(body).toMatchObject({ totalElements: 3 })
  }
})

test('takes the spellings of a name for one attribute, shown as most products write it', async () => {
  const colour = (await facets()).find(({ name }) => name === 'Цвет')
  const written = await Promise.all(
    ['цвет', 'ЦВЕТ'].map((name) => createProduct(shop.deps.db, { attributes: [{ name, value: 'красный' }] })),
  )
  for (const { deps } of [shop, other]) deps.caches.clear()
  const red = { value: 'красный', count: 3 }
  expect(await facets()).toContainEqual({ ...colour, values: [{ ...colour?.values[0] }, red] })
  for (const name of ['Цвет', 'цвет', ' ЦВЕТ ']) {
    const query = new URLSearchParams({ [`attr.${name}`]: 'красный' })
    const { body } = await shop.call('GET', `/api/v1/products?${query}`)
    expect(body).toMatchObject({ totalElements: 3 })
  }
  const either = new URLSearchParams({ 'attr.Цвет': 'красный', 'attr.цвет': 'зеленый лес' })
  expect((await shop.call('GET', `/api/v1/products?${either}`)).body).toMatchObject({ totalElements: 6 })
  await put('Цвет', { unit: 'тон' })
  expect((await put('ЦВЕТ', { position: 4 })).body).toMatchObject({ name: 'Цвет', unit: 'тон', position: 4 })
  await shop.deps.db.deleteFrom('products').where('id', 'in', written).execute()
  for (const { deps } of [shop, other]) deps.caches.clear()
})

test('sets which attributes are facets, their order and unit, at once on every instance', async () => {
  for (const instance of [shop, other]) for (let n = 0; n < 3; n++) await facets(instance)
  expect(await put('Состояние', { filterable: true, position: 2 })).toMatchObject({
    status: 200,
    body: { name: 'Состояние', products: 1, values: 1, filterable: true, position: 2, unit: null },
  })
  await put('Модель', { filterable: true, position: 1 })
  await put('Цвет', { filterable: false })
  await put('Гарантия', { unit: '  мес.\n' })
  const expected = ['Модель', 'Состояние', 'Гарантия', ODD_NAME]
  expect(namesOf(await facets())).toEqual(expected)
  await expect.poll(async () => namesOf(await facets(other))).toEqual(expected)
  expect((await facets()).find(({ name }) => name === 'Гарантия')).toMatchObject({ unit: 'мес.' })
  expect((await facets()).find(({ name }) => name === 'Модель')?.values).toHaveLength(100)
  expect(namesOf(await list())).toEqual(['Модель', 'Состояние', 'Цвет', 'Гарантия', ODD_NAME])
})

test('keeps absent fields, and returns to the default with null', async () => {
  await put('Цвет', { filterable: false, position: 5, unit: 'шт.' })
  expect((await put('Цвет', { position: 7 })).body).toMatchObject({
    filterable: false,
    position: 7,
    unit: 'шт.',
  })
  expect((await put('Цвет', { unit: '' })).body).toMatchObject({ filterable: false, position: 7, unit: null })
  expect((await put('Цвет', { filterable: null, position: null })).body).toMatchObject({
    filterable: true,
    position: null,
  })
  const { body } = await shop.call('GET', '/api/v1/admin/audit?entity=ATTRIBUTE', { token: admin })
  const { content } = body as { content: { entityId: string; before: unknown; after: unknown }[] }
  expect(content.slice(0, 2)).toMatchObject([
    { entityId: 'Цвет', before: { filterable: false, position: 7 }, after: { filterable: null } },
    { entityId: 'Цвет', before: { unit: 'шт.' }, after: { unit: null } },
  ])
})

test('merges two changes of one attribute at the same time', async () => {
  const both = await Promise.all([put(ODD_NAME, { position: 3 }), put(ODD_NAME, { unit: 'Вт' })])
  expect(both.map(({ status }) => status)).toEqual([200, 200])
  expect(await list()).toContainEqual(
    expect.objectContaining({ name: ODD_NAME, position: 3, unit: 'Вт', filterable: true }),
  )
})

test('keeps the settings of an attribute that no product has at present', async () => {
  await shop.deps.db.insertInto('attribute_settings').values({ name: 'Забытый', unit: 'м' }).execute()
  shop.deps.caches.clear()
  expect((await list()).at(-1)).toMatchObject({ name: 'Забытый', products: 0, filterable: false, unit: 'м' })
  expect((await put('Забытый', { unit: null })).status).toBe(200)
  expect(namesOf(await list())).not.toContain('Забытый')
  expect((await put('Забытый', { unit: 'м' })).status).toBe(404)
})

test.each(['Снятый', 'Цветы', 'Ц вет', 'x\0', '\u{1F600}'])('answers 404 for the name %j', async (name) => {
  expect(await put(name, { unit: 'x' })).toMatchObject({ status: 404, body: { code: 'NOT_FOUND' } })
})

test.each([
  [{ filterable: 1 }, 'filterable'],
  [{ filterable: 'true' }, 'filterable'],
  [{ position: 1.5 }, 'position'],
  [{ position: 2 ** 31 }, 'position'],
  [{ unit: 'x'.repeat(51) }, 'unit'],
  [{ unit: 'x\0' }, 'unit'],
  [{ unit: '\ud800' }, 'unit'],
])('refuses %j', async (body, path) => {
  expect(await put('Цвет', body)).toMatchObject({ status: 400, body: { details: [{ path }] } })
})

test('ignores unknown properties, which could rename the settings of an attribute', async () => {
  const body = { position: 7, name: 'Гарантия', role: 'SUPER_ADMIN' }
  expect(await put('Цвет', body)).toMatchObject({ status: 200, body: { name: 'Цвет', position: 7 } })
  const positions = (await list()).map(({ name, position }) => [name, position])
  expect(positions).toContainEqual(['Цвет', 7])
  expect(positions).toContainEqual(['Гарантия', null])
})

test('facets offer no value that is too long to filter by', async () => {
  const attributes = ['кейс', 'ж'.repeat(500), 'ш'.repeat(501)].map((value) => ({ name: 'Комплект', value }))
  const instructions = ['а', 'б'].map((letter) => ({ name: 'Инструкция', value: letter.repeat(501) }))
  await createProduct(shop.deps.db, { attributes: [...attributes, ...instructions] })
  shop.deps.caches.clear()
  expect(namesOf(await facets())).not.toContain('Инструкция')
  const offered = (await facets()).find(({ name }) => name === 'Комплект')?.values ?? []
  expect(offered.map(({ value }) => value)).toEqual(['ж'.repeat(500), 'кейс'])
  for (const { value, count } of offered) {
    const { body } = await shop.call('GET', `/api/v1/products?${new URLSearchParams({ 'attr.Комплект': value })}`)
    expect(body).toMatchObject({ totalElements: count })
  }
})
