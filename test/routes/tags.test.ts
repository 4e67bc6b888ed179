import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { loginAs } from '../support/accounts.ts'
import { createProduct } from '../support/factories.ts'
import { SOON, startTestShop, type TestShop } from '../support/shop.ts'

let shop: TestShop
let other: TestShop
let editor: string

beforeAll(async () => {
  shop = await startTestShop()
  other = await startTestShop({}, { databaseUrl: shop.deps.config.databaseUrl })
  editor = await loginAs(shop, 'EDITOR')
})
beforeEach(async () => {
  const { db } = shop.deps
  await db.deleteFrom('tags').execute()
  await db.deleteFrom('slug_history').where('kind', '=', 'tag').execute()
  for (const { deps } of [shop, other]) deps.caches.clear()
})
afterAll(async () => {
  await other.close()
  await shop.close()
})

const TAGS = '/api/v1/tags'

type Stored = { id: number; slug: string; version: number; [field: string]: unknown }
const send = (method: string, path: string, body?: unknown, headers = {}) =>
  shop.call(method, path, { token: editor, headers, ...(body === undefined ? {} : { body }) })
async function create(input: object): Promise<Stored> {
  const answer = await send('POST', TAGS, input)
  expect([answer.status, answer.text]).toEqual([201, expect.any(String)])
  return answer.body as Stored
}
const put = async (tag: Stored, body: object) => {
  const answer = await send('PUT', `${TAGS}/${tag.id}`, { name: tag.name, ...body })
  expect([answer.status, answer.text]).toEqual([200, expect.any(String)])
}
const statusOf = async (path: string, on = shop) => (await on.call('GET', path)).status
/** Creates a product with these tags. */
async function tagged(tagIds: number[], input = {}): Promise<number> {
  const { db } = shop.deps
  const product_id = await createProduct(db, input)
  await db
    .insertInto('product_tags')
    .values(tagIds.map((tag_id) => ({ product_id, tag_id })))
    .execute()
  return product_id
}
async function idsOf(query: string, on = shop, token?: string): Promise<number[]> {
  const { body } = await on.call('GET', `/api/v1/products?${query}`, token === undefined ? {} : { token })
  return (body as { content: { id: number }[] }).content.map(({ id }) => id)
}

test('creates, updates and deletes a tag, and shows the public its public fields', async () => {
  const seoTextDoc = { blocks: [{ type: 'paragraph', text: 'Как выбрать' }], 'к\nлюч': [1, null, true, 0.5] }
  const tag = await create({ name: ' Для дачи ', metaDescription: 'Всё для дачи', seoTextDoc })
  expect(tag).toEqual({
    id: tag.id,
    name: 'Для дачи',
    slug: 'dlya-dachi',
    enabled: true,
    metaTitle: null,
    metaDescription: 'Всё для дачи',
    seoTextDoc,
    seo: { title: 'Для дачи — Shop', description: 'Всё для дачи' },
    canonicalPath: '/tags/dlya-dachi',
    version: 1,
    createdAt: expect.any(String),
    updatedAt: expect.any(String),
    productCount: 0,
  })
  const { version, createdAt, updatedAt, productCount, ...shown } = tag
  for (const path of ['/tags/dlya-dachi', `${TAGS}/by-slug/dlya-dachi`]) {
    expect((await shop.call('GET', path)).body).toEqual(shown)
    expect((await send('GET', path)).body).toEqual(tag)
  }
  const answer = await send('PUT', `${TAGS}/${tag.id}`, {
    name: 'Дача',
    metaTitle: 'Дача!',
    seoTextDoc: null,
  })
  expect(answer.body).toMatchObject({
    slug: 'dlya-dachi',
    metaDescription: 'Всё для дачи',
    seoTextDoc: null,
    seo: { title: 'Дача!', description: 'Всё для дачи' },
    version: 2,
  })
  expect((await send('GET', `${TAGS}/${tag.id}`)).body).toEqual(answer.body)
  expect((await send('DELETE', `${TAGS}/${tag.id}`)).status).toBe(204)
  for (const method of ['GET', 'DELETE']) expect((await send(method, `${TAGS}/${tag.id}`)).status).toBe(404)
  expect((await send('PUT', `${TAGS}/${tag.id}`, { name: 'Дача' })).status).toBe(404)
})

test('lists all tags by name with their active products counted', async () => {
  const [b, a] = [await create({ name: 'Ёлки', enabled: false }), await create({ name: 'Гирлянды' })]
  await tagged([a.id, b.id])
  await tagged([a.id])
  await tagged([a.id], { supplierActive: false })
  const all = (await send('GET', TAGS)).body as Stored[]
  expect(all.map(({ id, productCount }) => [id, productCount])).toEqual([
    [a.id, 2],
    [b.id, 1],
  ])
  expect((await send('GET', `${TAGS}/${a.id}`)).body).toMatchObject({ productCount: 2 })
})

test('generates unique slugs from names, or from the id of a name without letters', async () => {
  const names = ['Скидки!', 'Скидки', 'скидки', '★', 'Sitemap']
  const slugs = []
  for (const name of names) slugs.push((await create({ name })).slug)
  expect(slugs.slice(0, 3)).toEqual(['skidki', 'skidki-2', 'skidki-3'])
  expect(slugs[3]).toMatch(/^tag-\d+$/)
  expect(slugs[4]).toMatch(/^tag-\d+$/)
  expect(await create({ name: 'Скидки', slug: 'sale' })).toMatchObject({ slug: 'sale' })
  // Slugs are unique per kind.
  await createProduct(shop.deps.db, { slug: 'new-year' })
  expect(await create({ name: 'x', slug: 'new-year' })).toMatchObject({ slug: 'new-year' })
})

test('rejects a taken slug with 409 and frees a former one', async () => {
  const [one, two] = [await create({ name: 'One' }), await create({ name: 'Two' })]
  const taken = { status: 409, body: { code: 'SLUG_TAKEN' } }
  expect(await send('PUT', `${TAGS}/${two.id}`, { name: 'Two', slug: 'one' })).toMatchObject(taken)
  expect(await send('POST', TAGS, { name: 'Three', slug: 'one' })).toMatchObject(taken)
  await put(one, { slug: 'first' })
  for (const path of ['/tags/one', `${TAGS}/by-slug/one`]) expect(await statusOf(path)).toBe(404)
  await put(two, { slug: 'one' })
  expect((await shop.call('GET', '/tags/one')).body).toMatchObject({ id: two.id })
  await put(two, { slug: 'one' })
  expect((await send('GET', `${TAGS}/${two.id}`)).body).toMatchObject({ slug: 'one', version: 2 })
  await send('DELETE', `${TAGS}/${two.id}`)
  expect(await create({ name: 'One' })).toMatchObject({ slug: 'one' })
  const { rows } = {
    rows: await shop.deps.db
      .selectFrom('slug_history')
      .select('slug')
      .where('kind', '=', 'tag')
      .orderBy('slug')
      .execute(),
  }
  expect(rows.map(({ slug }) => slug)).toEqual(['first', 'one'])
})

test('gives a slug to one of several concurrent requests', async () => {
  const made = await Promise.all(Array.from({ length: 8 }, () => create({ name: 'Акция' })))
  expect(new Set(made.map(({ slug }) => slug)).size).toBe(8)
  const wants = made.map(({ id }) => send('PUT', `${TAGS}/${id}`, { name: 'Акция', slug: 'wanted' }))
  const wantsToo = made.map(() => send('POST', TAGS, { name: 'Акция', slug: 'wanted' }))
  const statuses = (await Promise.all([...wants, ...wantsToo])).map(({ status }) => status)
  expect(statuses.filter((status) => status < 300)).toHaveLength(1)
  expect(statuses.filter((status) => status === 409)).toHaveLength(15)
})

test('shows edits at once on every instance: pages, cards, lists', async () => {
  const tag = await create({ name: 'Акция', slug: 'sale' })
  const id = await tagged([tag.id])
  const list = `tagId=${tag.id}`
  const cardTags = async (on: TestShop) => {
    const { body } = await on.call('GET', `/api/v1/products/${id}`)
    return (body as { tags: object[] }).tags
  }
  const seen = async (on: TestShop) => ({
    page: await statusOf('/tags/sale', on),
    tags: await cardTags(on),
    listed: await idsOf(list, on),
  })
  const shows = async (expected: object) => {
    expect(await seen(shop)).toEqual(expected)
    await expect.poll(() => seen(other), SOON).toEqual(expected)
  }
  const link = { id: tag.id, name: 'Акция', slug: 'sale' }
  await shows({ page: 200, tags: [link], listed: [id] })
  await put(tag, { enabled: false })
  await shows({ page: 404, tags: [], listed: [] })
  expect((await send('GET', '/tags/sale')).body).toMatchObject({ id: tag.id, enabled: false })
  expect(await idsOf(list, shop, editor)).toEqual([id])
  await put(tag, { enabled: true, name: 'Распродажа' })
  await shows({ page: 200, tags: [{ ...link, name: 'Распродажа' }], listed: [id] })
  await put(tag, { slug: 'sales' })
  await shows({ page: 404, tags: [{ ...link, slug: 'sales' }], listed: [id] })
  await send('DELETE', `${TAGS}/${tag.id}`)
  await shows({ page: 404, tags: [], listed: [] })
  expect(await shop.deps.db.selectFrom('product_tags').selectAll().execute()).toEqual([])
})

test('filters, sorts and pages a tag’s products like any others', async () => {
  const [tag, more] = [await create({ name: 'A' }), await create({ name: 'B' })]
  const dear = await tagged([tag.id, more.id], { price: '900.00' })
  const cheap = await tagged([tag.id], { price: '5.00' })
  await tagged([more.id], { price: '7.00' })
  const hidden = await tagged([tag.id], { supplierActive: false })
  expect(await idsOf(`tagId=${tag.id}&sort=price`)).toEqual([cheap, dear])
  expect(await idsOf(`tagId=${tag.id}&minPrice=10`)).toEqual([dear])
  expect(await idsOf(`tagId=${tag.id}&size=1&page=1&sort=id,desc`)).toEqual([dear])
  expect(await idsOf(`tagId=${tag.id}&sort=id`, shop, editor)).toEqual([dear, cheap, hidden])
  expect(await idsOf(`tagId=${tag.id}&active=false`, shop, editor)).toEqual([hidden])
  expect(await idsOf('tagId=2000000000')).toEqual([])
  for (const wrong of ['0', '-1', 'x', '2147483648', '1,x']) {
    expect(await statusOf(`/api/v1/products?tagId=${wrong}`)).toBe(400)
  }
})

test('rejects a write with an older version with 412', async () => {
  const tag = await create({ name: 'A', slug: 'a' })
  await put(tag, { name: 'B' })
  const stale = { 'if-match': '"1"' }
  for (const answer of [
    await send('PUT', `${TAGS}/${tag.id}`, { name: 'C', slug: 'c' }, stale),
    await send('DELETE', `${TAGS}/${tag.id}`, undefined, stale),
  ]) {
    expect(answer).toMatchObject({
      status: 412,
      body: { code: 'STALE', current: { id: tag.id, name: 'B', slug: 'a', version: 2, productCount: 0 } },
    })
  }
  const right = await send('PUT', `${TAGS}/${tag.id}`, { name: 'C', slug: 'c' }, { 'if-match': '"2"' })
  expect(right.body).toMatchObject({ name: 'C', slug: 'c', version: 3 })
  expect((await send('DELETE', `${TAGS}/${tag.id}`, undefined, { 'if-match': '"3"' })).status).toBe(204)
})

test('lets one of two writes with the same version win', async () => {
  const tag = await create({ name: 'A' })
  const both = ['B', 'C'].map((name) => send('PUT', `${TAGS}/${tag.id}`, { name }, { 'if-match': '"1"' }))
  expect((await Promise.all(both)).map(({ status }) => status).sort()).toEqual([200, 412])
})

test('audits edits', async () => {
  const tag = await create({ name: 'A' })
  await put(tag, { name: 'B', enabled: false })
  await put(tag, { name: 'B' })
  await send('DELETE', `${TAGS}/${tag.id}`)
  const admin = await loginAs(shop, 'ADMIN')
  const { body } = await shop.call('GET', `/api/v1/admin/audit?entity=TAG&entityId=${tag.id}`, {
    token: admin,
  })
  const { content } = body as { content: { action: string; before: object; after: object }[] }
  expect(content.map(({ action }) => action)).toEqual(['DELETE', 'UPDATE', 'CREATE'])
  expect(content[1]).toMatchObject({
    before: { name: 'A', enabled: true },
    after: { name: 'B', enabled: false },
  })
  expect(Object.keys(content[2]?.after ?? {}).sort()).toEqual([
    'enabled',
    'metaDescription',
    'metaTitle',
    'name',
    'seoTextDoc',
    'slug',
  ])
})

const nested = (levels: number) => JSON.parse(`${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`)

test.each([
  [{}, ['name']],
  [{ name: '  ' }, ['name']],
  [{ name: 5, enabled: 'yes' }, ['name', 'enabled']],
  [{ name: 'x'.repeat(201), metaTitle: 'x'.repeat(301) }, ['name', 'metaTitle']],
  [{ name: 'A', slug: '' }, ['slug']],
  [{ name: 'A', slug: 'Заказ' }, ['slug']],
  [{ name: 'A', slug: 'a--b' }, ['slug']],
  [{ name: 'A', slug: 'by-slug' }, ['slug']],
  [{ name: 'A', slug: 'x'.repeat(121) }, ['slug']],
  [{ name: 'A', slug: '-', seoTextDoc: { text: 'я'.repeat(32_768) } }, ['slug', 'seoTextDoc']],
  [{ name: 'A', seoTextDoc: [] }, ['seoTextDoc']],
  [{ name: 'A', seoTextDoc: 'text' }, ['seoTextDoc']],
  [{ name: 'A', seoTextDoc: nested(101) }, []],
  [{ name: 'A\0' }, ['name']],
  [{ name: 'A\ud800', seoTextDoc: { a: '\udc00' } }, ['name', 'seoTextDoc.a']],
])('rejects %j and names %j', async (input, fields) => {
  const answer = await send('POST', TAGS, input)
  expect(answer).toMatchObject({ status: 400, body: { code: 'VALIDATION_FAILED' } })
  const details = (answer.body as { details: { path: string }[] }).details.map(({ path }) => path)
  if (fields.length > 0) expect(new Set(details)).toEqual(new Set(fields))
  expect((await send('GET', TAGS)).body).toEqual([])
})

test('stores a text of exactly 64 KB unchanged', async () => {
  const seoTextDoc = { t: 'x'.repeat(65_536 - '{"t":""}'.length) }
  const { id } = await create({ name: 'A', seoTextDoc })
  expect((await send('GET', `${TAGS}/${id}`)).body).toMatchObject({ seoTextDoc })
})

test('answers odd slugs and ids with 404, and buyers’ writes with 403', async () => {
  for (const slug of ['nothing', 'x'.repeat(121), '%00', "'--", '%D0%B6', 'constructor']) {
    for (const path of [`/tags/${slug}`, `${TAGS}/by-slug/${slug}`]) {
      expect([path, await statusOf(path)]).toEqual([path, 404])
    }
  }
  expect((await send('GET', `${TAGS}/2147483648`)).status).toBe(404)
  const buyer = await loginAs(shop, 'USER')
  expect((await shop.call('POST', TAGS, { token: buyer, body: { name: 'A' } })).status).toBe(403)
  expect(await statusOf(TAGS)).toBe(401)
})
