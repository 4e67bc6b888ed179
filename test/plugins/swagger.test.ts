import { afterAll, beforeAll, expect, test } from 'vitest'
import { parse } from 'yaml'
import { converse, readAnswer } from '../support/raw-http.ts'
import { startTestShop, type TestShop } from '../support/shop.ts'

let shop: TestShop

beforeAll(async () => {
  shop = await startTestShop({ CORS_ALLOWED_ORIGINS: 'https://a.example,https://b.example' })
})
afterAll(() => shop.close())

const get = async (path: string, headers: Record<string, string> = {}, method = 'GET') => {
  const response = await fetch(shop.url + path, { method, headers })
  return { response, text: await response.text() }
}

test.each([
  ['/v3/api-docs', 'application/json; charset=utf-8'],
  ['/v3/api-docs.yaml', 'application/yaml; charset=utf-8'],
  ['/v3/api-docs/events', 'application/json; charset=utf-8'],
])('%s is served from one copy, compressed and with an ETag', async (path, type) => {
  const plain = await get(path, { 'accept-encoding': 'identity', origin: 'https://b.example' })
  const etag = plain.response.headers.get('etag') ?? ''
  expect(plain.response.headers.get('content-type')).toBe(type)
  expect(plain.response.headers.get('vary')).toBe('Origin, Accept-Encoding')
  expect(plain.response.headers.get('content-encoding')).toBeNull()
  for (const coding of ['gzip', 'br']) {
    const { response, text } = await get(path, { 'accept-encoding': coding })
    expect(response.headers.get('content-encoding')).toBe(coding)
    expect(Number(response.headers.get('content-length'))).toBeLessThan(plain.text.length / 5)
    expect(text).toBe(plain.text)
    expect(response.headers.get('etag')).not.toBe(etag)
  }
  const again = await get(path, { 'accept-encoding': 'identity', 'if-none-match': etag })
  expect([again.response.status, again.text]).toEqual([304, ''])
  const head = await get(path, { 'accept-encoding': 'identity' }, 'HEAD')
  expect([head.response.status, head.text]).toEqual([200, ''])
  expect(Number(head.response.headers.get('content-length'))).toBe(Buffer.byteLength(plain.text))
})

test.each([
  'static//x',
  'static//',
  'static/../x',
  'static/%2e%2e/x',
  'static/..%2f..%2fpackage.json',
  'static/%2F/x',
  'static/a%00b',
  'static/%5c..%5cx',
  'static/.hidden',
  'static/nothing.js',
  'yaml',
  `static/${'a'.repeat(300)}`,
])("answers a stranger's /swagger-ui/%s with 404", async (path) => {
  const request = `GET /swagger-ui/${path} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`
  const { status, body } = readAnswer(await converse(shop.url, request))
  expect([status, body]).toEqual([404, expect.objectContaining({ code: 'NOT_FOUND' })])
})

test('describes the API as OpenAPI 3.1, in JSON and YAML', async () => {
  const { text } = await get('/v3/api-docs')
  const document = JSON.parse(text)
  expect(document).toMatchObject({
    openapi: '3.1.0',
    paths: { '/health/ready': { get: { operationId: 'getReadiness' } } },
  })
  expect(parse((await get('/v3/api-docs.yaml')).text)).toEqual(document)
})

test('links to products, feed and health', async () => {
  const { info } = JSON.parse((await get('/v3/api-docs')).text)
  const links = [...info.description.matchAll(/\]\((.+?)\)/g)].map(([, path]) => path)
  expect(links).toEqual(expect.arrayContaining(['/api/v1/products', '/api/v1/yml-catalog.xml', '/health/ready']))
  for (const path of links)
    expect([path, (await get(path)).response.status]).toEqual([path, expect.toBeOneOf([200, 503])])
})

test('serves the page and its files', async () => {
  const page = await shop.call('GET', '/swagger-ui.html')
  expect([page.status, page.headers.get('location')]).toEqual([302, '/swagger-ui/'])
  expect((await get('/swagger-ui/')).text).toContain('swagger-ui')
  for (const path of ['', 'static/swagger-ui.css', 'static/swagger-initializer.js']) {
    expect([path, (await get(`/swagger-ui/${path}`)).response.status]).toEqual([path, 200])
    expect([path, (await shop.call('HEAD', `/swagger-ui/${path}`)).status]).toEqual([path, 200])
  }
})

test('the connection closes after a page if the client asks for it', async () => {
  const request = 'GET /swagger-ui/ HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n'
  const { status, headers } = readAnswer(await converse(shop.url, request))
  expect([status, headers]).toEqual([200, expect.stringContaining('connection: close')])
})

test('the page loads the description, and over plain HTTP too', async () => {
  const { response, text } = await get('/swagger-ui/static/swagger-initializer.js')
  const [, path = ''] = /url: resolveUrl\('(.+?)'\)/.exec(text) ?? []
  expect((await get(new URL(path, 'http://shop/swagger-ui/').pathname)).text).toMatch(/^{"openapi":/)
  expect(response.headers.get('content-security-policy')).toMatch(/^default-src 'self'/)
  expect(response.headers.get('content-security-policy')).not.toContain('upgrade-insecure-requests')
})
