import { afterAll, beforeAll, expect, test } from 'vitest'
import { storeImage } from '../../src/services/media/store.ts'
import { loginAs, PASSWORD } from '../support/accounts.ts'
import { newImage } from '../support/images.ts'
import { startTestShop, type TestShop } from '../support/shop.ts'

const ORIGIN = 'https://shop.example'
let shop: TestShop

beforeAll(async () => {
  shop = await startTestShop({ CORS_ALLOWED_ORIGINS: ORIGIN, RATE_LIMIT_REGISTER: '1' }, { publishes: true })
})
afterAll(() => shop.close())

type Call = Parameters<TestShop['call']>[2]

const fromBrowser = (method: string, path: string, call: Call = {}) =>
  shop.call(method, path, { ...call, headers: { origin: ORIGIN, ...call?.headers } })

test('every response that depends on the origin varies by it, whatever else it varies by', async () => {
  const bytes = await newImage({ width: 900, height: 20 })
  const { id } = await storeImage(shop.deps, { bytes, fileName: 'a.png' })
  for (const [path, varies] of [
    [`/api/v1/images/${id}`, 'Origin'],
    [`/api/v1/images/${id}?width=160`, 'Origin, Accept'],
    ['/sitemap.xml', 'Origin, Accept-Encoding'],
  ] as const) {
    const { status, headers } = await fromBrowser('GET', path)
    expect([path, status, headers.get('vary')]).toEqual([path, 200, varies])
  }
})

test('an allowed origin can read every response, whatever its status', async () => {
  const token = await loginAs(shop, 'USER')
  await fromBrowser('POST', '/api/v1/auth/register', { body: {} })
  const cases: [status: number, method: string, path: string, call?: Call][] = [
    [200, 'GET', '/api/v1/products'],
    [400, 'GET', '/api/v1/products?size=0'],
    [400, 'GET', '/%c0%ae'],
    [400, 'GET', '/api/v1/products/%ff'],
    [404, 'GET', `/api/v1/products/${'9'.repeat(2000)}`],
    [404, 'GET', `/products/by-slug/${'a'.repeat(5000)}`],
    [401, 'GET', '/api/v1/admin/users'],
    [401, 'GET', '/nothing/here'],
    [401, 'POST', '/api/v1/auth/login', { body: { email: 'nobody@example.test', password: PASSWORD } }],
    [403, 'GET', '/api/v1/admin/users', { token }],
    [404, 'GET', '/nothing/here', { token }],
    [404, 'GET', '/api/v1/products/999999'],
    [413, 'POST', '/api/v1/cart/validate', { body: 'x'.repeat(2_000_000) }],
    [415, 'POST', '/api/v1/contacts', { body: 'a', headers: { 'content-type': 'text/csv' } }],
    [429, 'POST', '/api/v1/auth/register', { body: {} }],
  ]
  for (const [status, method, path, call] of cases) {
    const { headers, ...answer } = await fromBrowser(method, path, call)
    const readable = {
      origin: headers.get('access-control-allow-origin'),
      credentials: headers.get('access-control-allow-credentials'),
      exposed: headers.get('access-control-expose-headers'),
      id: headers.get('x-request-id'),
    }
    expect([path.slice(0, 40), answer.status, readable]).toEqual([
      path.slice(0, 40),
      status,
      {
        origin: ORIGIN,
        credentials: 'true',
        exposed: 'ETag, Retry-After, Location, X-Request-Id, X-Total-Count, X-Unknown-Parameters, Content-Disposition',
        id: expect.stringMatching(/^[\w-]{36}$/),
      },
    ])
    const id = Object(answer.body).requestId
    if (id !== undefined) expect(id).toBe(headers.get('x-request-id'))
  }
})

test('gives other origins no CORS headers, and answers any preflight', async () => {
  const other = await shop.call('GET', '/api/v1/products', { headers: { origin: 'https://evil.example' } })
  expect(other.headers.get('access-control-allow-origin')).toBeNull()
  expect(other.headers.get('vary')).toMatch(/origin/i)
  const preflight = await fromBrowser('OPTIONS', '/api/v1/admin/users', {
    headers: { 'access-control-request-method': 'PUT', 'access-control-request-headers': 'authorization' },
  })
  expect(preflight.status).toBe(204)
  expect(preflight.headers.get('access-control-allow-headers')).toBe('authorization')
})

test('forbids caching of tokens and of responses that depend on the caller', async () => {
  const token = await loginAs(shop, 'ADMIN')
  const { email } = await shop.deps.db.selectFrom('users').select('email').executeTakeFirstOrThrow()
  const cases: [method: string, path: string, call?: Call][] = [
    ['POST', '/api/v1/auth/login', { body: { email, password: PASSWORD } }],
    ['POST', '/api/v1/auth/login', { body: { email, password: 'wrong' } }],
    ['POST', '/api/v1/auth/register', { body: {} }],
    ['GET', '/api/v1/auth/profile', { token }],
    ['GET', '/api/v1/auth/profile'],
    ['GET', '/api/v1/admin/users', { token }],
    ['GET', '/api/v1/admin/nothing', { token }],
    ['GET', '/api/v1/orders/my', { token }],
    ['POST', '/api/v1/orders', { body: {} }],
    ['GET', '/api/v1/products?active=false', { token }],
    ['GET', '/api/v1/categories', { token }],
  ]
  for (const [method, path, call] of cases) {
    const { headers } = await shop.call(method, path, call)
    expect([method, path, headers.get('cache-control')]).toEqual([method, path, 'no-store'])
  }
  const open = await shop.call('GET', '/api/v1/products')
  expect(open.headers.get('cache-control')).toBe('public, max-age=0, must-revalidate')
})
