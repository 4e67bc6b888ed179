import { afterAll, beforeAll, expect, test } from 'vitest'
import type { StaffProductCard as ProductCard } from '../../src/schemas/products.ts'
import { rebuild } from '../../src/services/published/publishing.ts'
import { loginAs } from '../support/accounts.ts'
import { createCategory, createImage, createProduct } from '../support/factories.ts'
import { SOON, startTestShop, type TestShop } from '../support/shop.ts'

let shop: TestShop
let other: TestShop
let admin: string

beforeAll(async () => {
  shop = await startTestShop({}, { publishes: true })
  other = await startTestShop({}, { databaseUrl: shop.deps.config.databaseUrl })
  admin = await loginAs(shop, 'ADMIN')
})
afterAll(async () => {
  await other.close()
  await shop.close()
})

const PRODUCTS = '/api/v1/products'
const send = (method: string, path: string, body?: unknown) =>
  shop.call(method, PRODUCTS + path, { token: admin, ...(body === undefined ? {} : { body }) })
async function edit(method: string, path: string, body?: unknown): Promise<ProductCard> {
  const answer = await send(method, path, body)
  expect([answer.status, answer.text]).toEqual([200, expect.any(String)])
  return answer.body as ProductCard
}
const card = async (id: number, on = shop) => (await on.call('GET', `${PRODUCTS}/${id}`)).body as ProductCard
/** Paths and messages of an error. */
async function faults(method: string, path: string, body: unknown): Promise<[string, string][]> {
  const answer = await send(method, path, body)
  expect([answer.status, answer.text]).toEqual([400, expect.stringContaining('VALIDATION_FAILED')])
  const { details } = answer.body as { details: { path: string; message: string }[] }
  return details.map(({ path: where, message }) => [where, message])
}

async function createTag(name: string, enabled = true): Promise<number> {
  const values = { name, slug: `tag-${name}`, enabled }
  const { id } = await shop.deps.db.insertInto('tags').values(values).returning('id').executeTakeFirstOrThrow()
  return id
}

test('replaces the manual attributes, which hide the supplier’s', async () => {
  const id = await createProduct(shop.deps.db, {
    attributes: [
      { name: 'Вес', value: '2 кг' },
      { name: 'Цвет', value: 'синий' },
    ],
  })
  for (const on of [shop, other]) expect((await card(id, on)).attributes).toHaveLength(2)
  const manual = [
    { name: ' Гарантия ', value: ' 2 года\n' },
    { name: 'Цвет', value: 'голубой' },
  ]
  const expected = [
    { name: 'Вес', value: '2 кг', source: 'EXTERNAL' },
    { name: 'Цвет', value: 'голубой', source: 'MANUAL' },
    { name: 'Гарантия', value: '2 года', source: 'MANUAL' },
  ]
  expect((await edit('PUT', `/${id}/attributes`, manual)).attributes).toEqual(expected)
  for (const on of [shop, other]) {
    await expect.poll(async () => (await card(id, on)).attributes, SOON).toEqual(expected)
    expect((await on.call('GET', `${PRODUCTS}/${id}/attributes`)).body).toEqual(expected)
  }
  const fewer = await edit('PUT', `/${id}/attributes`, [{ name: 'Страна', value: 'Китай' }])
  expect(fewer.attributes.map(({ name }) => name)).toEqual(['Вес', 'Цвет', 'Страна'])
  expect((await edit('PUT', `/${id}/attributes`, [])).attributes.map(({ source }) => source)).toEqual([
    'EXTERNAL',
    'EXTERNAL',
  ])
})

test('rejects invalid attributes and names each', async () => {
  const id = await createProduct(shop.deps.db)
  const twice = [
    { name: 'Вес', value: '1' },
    { name: 'x\u0007', value: '1' },
    { name: 'Вес ', value: '2' },
  ]
  expect(await faults('PUT', `/${id}/attributes`, twice)).toEqual([
    ['0.name', 'This is given twice'],
    ['2.name', 'This is given twice'],
  ])
  const blank = [{ name: '\u0007', value: 'y' }]
  expect(await faults('PUT', `/${id}/attributes`, blank)).toEqual([['0.name', 'Enter a name']])
  const both = (await faults('PUT', `/${id}/attributes`, [...blank, ...twice])).map(([path]) => path)
  expect(both).toEqual(['0.name', '1.name', '3.name'])
  const wrong = [{ name: 'a'.repeat(201), value: 'b'.repeat(2001) }, { name: ' ' }, 'x']
  const paths = (await faults('PUT', `/${id}/attributes`, wrong)).map(([path]) => path)
  expect(paths).toEqual(expect.arrayContaining(['0.name', '0.value', '1.name', '1.value', '2']))
  const many = Array.from({ length: 201 }, (_, n) => ({ name: `n${n}`, value: 'v' }))
  expect((await send('PUT', `/${id}/attributes`, many)).status).toBe(400)
  expect((await edit('PUT', `/${id}/attributes`, many.slice(1))).attributes).toHaveLength(200)
  for (const body of [{}, null, 'x']) expect((await send('PUT', `/${id}/attributes`, body)).status).toBe(400)
})

test('replaces the tags, of which the public sees the enabled ones', async () => {
  const id = await createProduct(shop.deps.db)
  const [sale, fresh, hidden] = [await createTag('sale'), await createTag('fresh'), await createTag('hidden', false)]
  await card(id, other)
  const tagged = await edit('PUT', `/${id}/tags`, { tagIds: [sale, hidden, sale] })
  expect(tagged.tags.map((tag) => tag.id)).toEqual([hidden, sale])
  for (const on of [shop, other]) {
    await expect.poll(async () => (await card(id, on)).tags.map((tag) => tag.id), SOON).toEqual([sale])
  }
  expect((await edit('PUT', `/${id}/tags`, { tagIds: [fresh] })).tags.map((tag) => tag.id)).toEqual([fresh])
  const unknown = { tagIds: [2_000_000_000, fresh, 2_000_000_001] }
  expect(await faults('PUT', `/${id}/tags`, unknown)).toEqual([
    ['tagIds.0', 'There is no such record'],
    ['tagIds.2', 'There is no such record'],
  ])
  for (const tagIds of [undefined, null, [0], ['1'], [1.5], [99_999_999_999], Array(201).fill(sale)]) {
    expect([tagIds, (await send('PUT', `/${id}/tags`, { tagIds })).status]).toEqual([tagIds, 400])
  }
  expect((await card(id)).tags.map((tag) => tag.id)).toEqual([fresh])
  expect((await edit('PUT', `/${id}/tags`, { tagIds: [] })).tags).toEqual([])
})

test('orders images, and moves those that are linked again', async () => {
  const id = await createProduct(shop.deps.db)
  const { db } = shop.deps
  const [a, b, c] = [await createImage(db), await createImage(db), await createImage(db)]
  const link = async (image: number, query = '') =>
    (await edit('POST', `/${id}/images/${image}${query}`)).images.map((one) => [one.id, one.displayOrder])
  expect(await link(a)).toEqual([[a, 0]])
  expect(await link(b)).toEqual([
    [a, 0],
    [b, 1],
  ])
  expect(await link(c, '?displayOrder=-5')).toEqual([
    [c, -5],
    [a, 0],
    [b, 1],
  ])
  expect(await link(b)).toEqual([
    [c, -5],
    [a, 0],
    [b, 1],
  ])
  expect(await link(c)).toEqual([
    [a, 0],
    [b, 1],
    [c, 2],
  ])
  expect(await link(b, '?displayOrder=2147483647')).toEqual([
    [a, 0],
    [c, 2],
    [b, 2_147_483_647],
  ])
  expect(await link(a)).toEqual([
    [c, 0],
    [b, 1],
    [a, 2],
  ])
  expect(await link(a, '?displayOrder=0')).toEqual([
    [a, 0],
    [c, 1],
    [b, 2],
  ])
  const shown = (on: TestShop) => async () => (await card(id, on)).images.map((one) => one.id)
  for (const on of [shop, other]) await expect.poll(shown(on), SOON).toEqual([a, c, b])

  expect((await send('DELETE', `/${id}/images/${a}`)).status).toBe(204)
  expect((await send('DELETE', `/${id}/images/${a}`)).status).toBe(404)
  expect((await send('POST', `/${id}/images/2000000000`)).status).toBe(404)
  for (const order of ['x', '1.5', '99999999999']) {
    expect(await faults('POST', `/${id}/images/${a}?displayOrder=${order}`, undefined)).toEqual([
      ['querystring.displayOrder', expect.any(String)],
    ])
  }
  for (const on of [shop, other]) await expect.poll(shown(on), SOON).toEqual([c, b])
})

test('replaces the images; the first is the main one everywhere', async () => {
  const { db } = shop.deps
  const id = await createProduct(db, { name: 'Rundrill', price: '100', categoryId: await createCategory(db) })
  const [a, b, c] = [await createImage(db), await createImage(db), await createImage(db)]
  await edit('POST', `/${id}/images/${a}`)
  const images = (...ids: number[]) =>
    ids.map((image, displayOrder) => ({
      id: image,
      url: expect.stringMatching(`^/api/v1/images/${image}\\?v=[0-9a-f]{12}$`),
      displayOrder,
      width: 1,
      height: 1,
      alt: 'Rundrill',
    }))
  const { version } = await edit('PUT', `/${id}/images`, { imageIds: [c, a, b] })
  const shown = (on: TestShop) => async () => [
    (await card(id, on)).images,
    Object(await on.call('GET', `/api/v1/products?search=rundrill`)).body.content[0]?.images,
    Object(await on.call('GET', `/api/v1/products?search=rundrill`, { token: admin })).body.content[0]?.images,
  ]
  for (const on of [shop, other]) {
    await expect.poll(shown(on), SOON).toEqual([images(c, a, b), images(c, a, b), images(c, a, b)])
  }
  expect((await edit('PUT', `/${id}/images`, { imageIds: [c, a, b] })).version).toBe(version)
  const ifMatch = { headers: { 'if-match': `"${Number(version) - 1}"` } }
  const stale = { token: admin, body: { imageIds: [a] }, ...ifMatch }
  expect((await shop.call('PUT', `/api/v1/products/${id}/images`, stale)).status).toBe(412)
  await rebuild(shop.deps, 'feed')
  const feed = (await shop.call('GET', '/api/v1/yml-catalog.xml')).text
  const pictures = [...feed.matchAll(/<picture>[^<]*\/(\d+)\?v=\w+<\/picture>/g)].map(([, image]) => Number(image))
  expect(pictures).toEqual([c, a, b])

  expect(await faults('PUT', `/${id}/images`, { imageIds: [a, 2_000_000_000, 1_999_999_999] })).toEqual([
    ['imageIds.1', 'There is no such record'],
    ['imageIds.2', 'There is no such record'],
  ])
  for (const imageIds of [undefined, null, [0], ['1'], [1.5], [a, a], Array(201).fill(a)]) {
    expect([imageIds, (await send('PUT', `/${id}/images`, { imageIds })).status]).toEqual([imageIds, 400])
  }
  expect((await send('PUT', '/2000000000/images', { imageIds: [] })).status).toBe(404)
  expect((await card(id)).images).toEqual(images(c, a, b))
  expect((await edit('PUT', `/${id}/images`, { imageIds: [b] })).images).toEqual(images(b))
  expect((await edit('PUT', `/${id}/images`, { imageIds: [] })).images).toEqual([])
  const audited = await db
    .selectFrom('audit_log')
    .select(['before', 'after'])
    .where('entity', '=', 'PRODUCT')
    .where('entity_id', '=', String(id))
    .orderBy('id')
    .execute()
  expect(audited.at(-2)).toMatchObject({
    before: { images: images(c, a, b).map(({ id, displayOrder }) => ({ id, displayOrder })) },
    after: { images: [{ id: b, displayOrder: 0 }] },
  })
})

test('names every fault of a product at once', async () => {
  const shape = { name: '', price: -1, stock: 1.5, active: 'yes', categoryId: 0, metaTitle: 'x'.repeat(1001) }
  const paths = (await faults('POST', '', shape)).map(([path]) => path)
  expect(new Set(paths)).toEqual(new Set(Object.keys(shape)))
  const meaning = {
    name: '\u0007',
    price: 1.005,
    sitePrice: 0.001,
  }
  expect((await faults('POST', '', meaning)).map(([path]) => path)).toEqual(Object.keys(meaning))
  const unknown = { categoryId: 2_000_000_000, brandId: 2_000_000_000 }
  expect((await faults('POST', '', { name: 'x', ...unknown })).map(([path]) => path)).toEqual(Object.keys(unknown))

  const id = await createProduct(shop.deps.db, { price: '10.00', stock: 1 })
  expect(await faults('PATCH', `/${id}`, { stock: 2, price: 10.001 })).toEqual([
    ['price', 'Enter at most two decimals'],
  ])
  expect(await faults('PATCH', `/${id}`, { stock: 2, categoryId: 2_000_000_000 })).toEqual([
    ['stock', 'The supplier sets this'],
    ['categoryId', 'There is no such record'],
  ])
  expect((await send('PATCH', `/${id}`, { clearOverrides: ['slug'] })).status).toBe(400)
  expect((await send('PUT', `/${id}`, { description: 'x' })).body).toMatchObject({
    details: [{ path: 'name' }],
  })
  expect(await card(id)).toMatchObject({ price: 10, stock: 1, metaTitle: null })
})

test.each([
  { name: 'x'.repeat(501) },
  { name: 'a\0b' },
  { name: 'a\ud800' },
  { description: 'x'.repeat(100_001) },
  { sitePrice: 1e10 },
  { sitePrice: '5' },
  { stock: 2 ** 31 },
  { metaDescription: ['x'] },
  { clearMetaTitle: 'yes' },
  { categoryId: 2 ** 31 },
])('rejects %j with 400', async (body) => {
  const id = await createProduct(shop.deps.db)
  expect((await send('PATCH', `/${id}`, body)).status).toBe(400)
})

test('ignores references that a product’s body does not document', async () => {
  const body = { name: 'Дрель', tagIds: {}, imageIds: [2_000_000_000], addTagIds: true }
  const created = await send('POST', '', body)
  expect(created.status).toBe(201)
  expect((await send('PATCH', `/${(created.body as { id: number }).id}`, body)).status).toBe(200)
})

test('ignores what only PATCH documents in POST and PUT', async () => {
  const undocumented = { clearMetaTitle: true, clearMetaDescription: 'x', clearOverrides: 5 }
  const body = { name: 'Дрель', metaTitle: 'Своё', ...undocumented }
  const created = await send('POST', '', body)
  expect(created).toMatchObject({ status: 201, body: { metaTitle: 'Своё' } })
  const { id } = created.body as { id: number }
  expect(await send('PUT', `/${id}`, body)).toMatchObject({ status: 200, body: { metaTitle: 'Своё' } })
})

test('accepts the current figures of a supplier’s product, and the largest amounts', async () => {
  const id = await createProduct(shop.deps.db, { price: '10.50', stock: 3, brandId: null })
  expect(await edit('PUT', `/${id}`, { name: (await card(id)).name, price: 10.5, stock: 3 })).toMatchObject({
    version: 1,
  })
  expect(await edit('PATCH', `/${id}`, { sitePrice: 9_999_999_999.99 })).toMatchObject({
    finalPrice: 9_999_999_999.99,
    version: 2,
  })
  const longest = { description: '😀'.repeat(50_000), metaTitle: 'я'.repeat(1000) }
  expect(await edit('PATCH', `/${id}`, longest)).toMatchObject(longest)
  expect(await edit('PATCH', `/${id}`, { description: ' ' })).toMatchObject({ description: null })
})
