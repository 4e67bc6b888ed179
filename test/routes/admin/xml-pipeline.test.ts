import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { loginAs } from '../../support/accounts.ts'
import { createProduct } from '../../support/factories.ts'
import { type FeedServer, startFeedServer } from '../../support/feed-server.ts'
import { startTestShop, type TestShop } from '../../support/shop.ts'

let shop: TestShop
let feed: FeedServer
let admin: string
let manager: string

beforeAll(async () => {
  feed = await startFeedServer()
  shop = await startTestShop({ XML_FEED_URL: feed.url })
  admin = await loginAs(shop, 'ADMIN')
  manager = await loginAs(shop, 'MANAGER')
})
beforeEach(async () => {
  await shop.deps.db.deleteFrom('attribute_rules').execute()
  await shop.deps.db.deleteFrom('products').execute()
})
afterAll(async () => {
  await shop.close()
  await feed.close()
})

const RULES = '/api/v1/admin/attribute-rules'
const OVERRIDES = '/api/v1/admin/xml-pipeline/image-overrides'
const send = (method: string, path: string, body?: unknown, headers = {}) =>
  shop.call(method, path, { token: admin, headers, ...(body === undefined ? {} : { body }) })

test('creates, lists, updates and deletes attribute rules', async () => {
  const { status, body } = await send('POST', RULES, { alias: '  Мощн.,\n Вт ', name: ' Мощность ' })
  expect([status, body]).toMatchObject([201, { alias: 'Мощн., Вт', name: 'Мощность', ignore: false, version: 1 }])
  const { id } = body as { id: number }
  await send('POST', RULES, { alias: 'Артикул', ignore: true })
  expect((await send('GET', RULES)).body).toMatchObject([{ alias: 'Артикул', name: null }, { id }])
  expect((await send('PUT', `${RULES}/${id}`, { alias: 'мощн., Вт' })).body).toMatchObject({
    name: 'Мощность',
    version: 2,
  })
  expect((await send('PUT', `${RULES}/${id}`, { alias: 'x' }, { 'if-match': '"1"' })).status).toBe(412)
  expect(await send('PUT', `${RULES}/${id}`, { alias: 'артикул' })).toMatchObject({
    status: 409,
    body: { code: 'ALIAS_TAKEN' },
  })
  expect((await send('PUT', `${RULES}/999`, { alias: 'x', name: 'y' })).status).toBe(404)
  expect((await send('DELETE', `${RULES}/${id}`)).status).toBe(204)
  expect((await send('DELETE', `${RULES}/${id}`)).status).toBe(404)
  const audit = await send('GET', `/api/v1/admin/audit?entity=ATTRIBUTE_RULE&entityId=${id}`)
  const { content } = audit.body as { content: { action: string }[] }
  expect(content.map(({ action }) => action)).toEqual(['DELETE', 'UPDATE', 'CREATE'])
})

test.each([
  [{ alias: 'A' }, 'name'],
  [{ alias: 'A', name: ' ' }, 'name'],
  [{ alias: 'A', name: null, ignore: false }, 'name'],
  [{ alias: '  ', name: 'B' }, 'alias'],
  [{ alias: 'A'.repeat(201), name: 'B' }, 'alias'],
  [{ alias: 'A\0', name: 'B' }, 'alias'],
])('rejects the rule %j', async (body, path) => {
  expect(await send('POST', RULES, body)).toMatchObject({
    status: 400,
    body: { details: [{ path: expect.stringContaining(path) }] },
  })
})

test('creates one of two concurrent rules for an attribute', async () => {
  const made = await Promise.all(['Цвет', 'ЦВЕТ'].map((alias) => send('POST', RULES, { alias, name: 'Colour' })))
  expect(made.map(({ status }) => status).sort()).toEqual([201, 409])
})

test('allows one image override for a product, with http(s) URLs only', async () => {
  const productId = await createProduct(shop.deps.db)
  const other = await createProduct(shop.deps.db)
  const input = { productId, mode: 'REPLACE', urls: ['https://a.example/1.jpg', ' https://a.example/1.jpg'] }
  const { status, body } = await send('POST', OVERRIDES, input)
  expect([status, body]).toMatchObject([201, { productId, mode: 'REPLACE', urls: ['https://a.example/1.jpg'] }])
  const { id } = body as { id: number }
  expect(await send('POST', OVERRIDES, input)).toMatchObject({
    status: 409,
    body: { code: 'PRODUCT_OVERRIDDEN' },
  })
  const { id: second } = (await send('POST', OVERRIDES, { ...input, productId: other })).body as {
    id: number
  }
  expect((await send('GET', OVERRIDES)).body).toMatchObject([{ id }, { id: second }])
  expect(await send('PUT', `${OVERRIDES}/${id}`, { ...input, productId: other })).toMatchObject({
    status: 409,
  })
  expect((await send('PUT', `${OVERRIDES}/${id}`, { ...input, mode: 'APPEND' })).body).toMatchObject({
    mode: 'APPEND',
    version: 2,
  })
  expect((await send('PUT', `${OVERRIDES}/${id}`, input, { 'if-match': '"1"' })).status).toBe(412)
  expect((await send('DELETE', `${OVERRIDES}/${id}`)).status).toBe(204)
  expect((await send('PUT', `${OVERRIDES}/${id}`, input)).status).toBe(404)
})

test.each([
  [{ urls: ['ftp://a.example/1'] }, 'urls.0'],
  [{ urls: ['https://a.example/1', 'javascript:alert(1)', '//a.example/2'] }, 'urls.1'],
  [{ urls: ['https://a b.example/'] }, 'urls.0'],
  [{ urls: [] }, 'urls'],
  [{ urls: Array.from({ length: 51 }, (_, n) => `https://a.example/${n}`) }, 'urls'],
  [{ urls: ['https://a.example/', `https://a.example/${'x'.repeat(2000)}`] }, 'urls'],
  [{ mode: 'BOTH' }, 'mode'],
  [{ productId: 2_000_000_000 }, 'productId'],
  [{ productId: 3_000_000_000 }, 'productId'],
])('rejects the override %j', async (wrong, path) => {
  const productId = await createProduct(shop.deps.db)
  const good = { productId, mode: 'APPEND', urls: ['https://a.example/1.jpg'] }
  expect(await send('POST', OVERRIDES, { ...good, ...wrong })).toMatchObject({
    status: 400,
    body: {
      details: expect.arrayContaining([expect.objectContaining({ path: expect.stringContaining(path) })]),
    },
  })
})

test('records who started and who retried a run', async () => {
  feed.serve('<yml_catalog>')
  const { body } = await send('POST', '/api/v1/admin/xml-feed/sync?wait=true')
  const { id, status } = Object(body)
  expect(status).toBe('FAILED')
  await send('POST', `/api/v1/admin/xml-pipeline/runs/${id}/retry?wait=true`)
  const audit = await send('GET', `/api/v1/admin/audit?entity=PIPELINE&entityId=${id}`)
  expect(Object(audit.body).content).toMatchObject([
    { action: 'CREATE', after: { retry: true }, actorEmail: expect.stringContaining('@') },
    { action: 'CREATE', after: { retry: false } },
  ])
})

test('is for administrators only and answers 404 for missing records', async () => {
  for (const path of ['/api/v1/admin/xml-feed/categories', '/api/v1/admin/xml-pipeline/runs', RULES, OVERRIDES]) {
    expect((await shop.call('GET', path, { token: manager })).status).toBe(403)
    expect((await send('GET', path)).status).toBe(200)
  }
  for (const id of [999, 2_147_483_647, 99_999_999_999]) {
    for (const path of [`runs/${id}`, `snapshots/${id}`, `snapshots/${id}/diff`]) {
      expect((await send('GET', `/api/v1/admin/xml-pipeline/${path}`)).status).toBe(404)
    }
    expect((await send('POST', `/api/v1/admin/xml-pipeline/runs/${id}/retry`)).status).toBe(404)
  }
  for (const id of ['x', '%00', encodeURIComponent('ё'.repeat(300)), 'a%2Fb']) {
    const { status } = await send('PUT', `/api/v1/admin/xml-feed/category-mappings/${id}`, { categoryId: 1 })
    expect([400, 404]).toContain(status)
    expect([400, 404]).toContain((await send('DELETE', `/api/v1/admin/xml-feed/category-mappings/${id}`)).status)
  }
})
