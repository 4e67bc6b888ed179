import { afterAll, afterEach, beforeAll, beforeEach, expect, type MockInstance, test, vi } from 'vitest'
import { loginAs } from '../support/accounts.ts'
import { openEvents, refusedHandshake } from '../support/events.ts'
import { createProduct } from '../support/factories.ts'
import { startTestShop, type TestShop } from '../support/shop.ts'

const LIMITS = { RATE_LIMIT_PER_SECOND: '', RATE_LIMIT_COSTLY_PER_SECOND: '' }
const PER_SECOND = 200
const COSTLY_PER_SECOND = 20

let shop: TestShop
/** The second stands still, so that a slow machine counts as a fast one does. */
let now: MockInstance<() => number>

beforeAll(async () => {
  shop = await startTestShop({ TRUST_PROXY: 'loopback', ...LIMITS })
  await createProduct(shop.deps.db, { name: 'Cordless screwdriver with case' })
})
afterAll(() => shop.close())
beforeEach(() => {
  now = vi.spyOn(Date, 'now').mockReturnValue(Date.now())
})
afterEach(() => now.mockRestore())

const PATH = '/api/v1/brands'

type Sender = { from: string; token?: string }

const headersOf = ({ from, token }: Sender) => ({
  'x-forwarded-for': from,
  ...(token && { authorization: `Bearer ${token}` }),
})

async function get(path: string, sender: Sender): Promise<number> {
  return (await shop.call('GET', path, { headers: headersOf(sender) })).status
}

async function getAll(paths: string[], sender: Sender): Promise<number[]> {
  const statuses: number[] = []
  for (const path of paths) statuses.push(await get(path, sender))
  return statuses
}

const times = (count: number, path = PATH) => Array.from({ length: count }, () => path)
/** How many requests are answered before the first 429; -1: all. */
const firstRefused = async (paths: string[], sender: Sender) => (await getAll(paths, sender)).indexOf(429)

test('answers a page of sixty requests at once, and refuses the 201st request of a network until the second is over', async () => {
  const from = '192.0.2.1'
  const page = await Promise.all(times(60).map((path) => get(path, { from })))
  expect(new Set(page)).toEqual(new Set([200]))
  expect(await firstRefused(times(PER_SECOND - 60 + 1), { from })).toBe(PER_SECOND - 60)
  now.mockReturnValue(Date.now() + 400)
  const refused = await shop.call('GET', PATH, { headers: headersOf({ from }) })
  expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '1'])
  expect(refused.body).toMatchObject({ error: 'Too Many Requests', code: 'RATE_LIMITED' })
  expect(await get(PATH, { from: '192.0.2.2' })).toBe(200)
  now.mockReturnValue(Date.now() + 600)
  expect(await get(PATH, { from })).toBe(200)
})

test('sends a refusal when the second is over, and meanwhile answers others', async () => {
  const from = '192.0.2.7'
  await getAll(times(PER_SECOND), { from })
  const late = get(PATH, { from })
  const quick = get(PATH, { from: '192.0.2.8' })
  expect(await Promise.race([late, quick])).toBe(200)
  expect([await late, await quick]).toEqual([429, 200])
})

test('counts requests that are refused anyway, and a /64 of IPv6 as one network', async () => {
  const paths = [...times(100, '/api/v1/nothing'), ...times(100, '/api/v1/admin/orders')]
  expect(new Set(await getAll(paths, { from: '2001:db8::1' }))).toEqual(new Set([401]))
  const refused = ['/api/v1/nothing', '/api/v1/admin/orders', PATH].map((path) => get(path, { from: '2001:db8::2' }))
  expect(await Promise.all(refused)).toEqual([429, 429, 429])
  expect(await get(PATH, { from: '2001:db8:0:1::1' })).toBe(200)
})

test("limits neither staff's tokens nor API keys, but customers'", async () => {
  const from = '192.0.2.3'
  const customer = await loginAs(shop, 'USER')
  expect(await firstRefused(times(PER_SECOND + 1, '/api/v1/products'), { from, token: customer })).toBe(PER_SECOND)
  const body = { name: 'script', role: 'EDITOR' }
  const created = await shop.call('POST', '/api/v1/admin/api-keys', { token: await loginAs(shop, 'SUPER_ADMIN'), body })
  expect(created.status).toBe(201)
  for (const token of [await loginAs(shop, 'EDITOR'), Object(created.body).key])
    expect(await firstRefused(times(PER_SECOND + 1, '/api/v1/products'), { from, token })).toBe(-1)
})

const LETTERS = 'qwxzjkvpbg'
let searches = 0
/** Searches that nobody has sent before, for one misspelt word. */
const misspelt = (path: string, count: number) =>
  Array.from({ length: count }, () => {
    const error = [...`${100 + ++searches}`].map((digit) => LETTERS[Number(digit)]).join('')
    return `${path}screw${error}driver`
  })

test('limits the searches that have to be corrected on all routes together', async () => {
  const list = '/api/v1/products?search='
  const from = '192.0.2.4'
  const corrected = misspelt(list, 8)
  expect(await firstRefused(corrected, { from })).toBe(-1)
  expect(await firstRefused(misspelt('/api/v1/products/facets?search=', 6), { from })).toBe(-1)
  expect(await firstRefused(misspelt('/api/v1/products/suggest?q=', 7), { from })).toBe(6)
  // One that is in the cache, and those that find something.
  expect(await get(corrected[0] ?? '', { from })).toBe(200)
  expect(await get(`${list}cordless+case`, { from })).toBe(200)
  const token = await loginAs(shop, 'EDITOR')
  expect(await firstRefused(misspelt(list, COSTLY_PER_SECOND + 1), { from, token })).toBe(-1)
})

test.each([['/v3/api-docs'], ['/swagger-ui/']])('limits requests for %s', async (path) => {
  expect(await firstRefused(times(COSTLY_PER_SECOND + 1, path), { from: `192.0.2.${path.length}` })).toBe(
    COSTLY_PER_SECOND,
  )
})

test("limits agents' messages, handshakes of live events and large bodies, each by itself", async () => {
  const headers = headersOf({ from: '192.0.2.5' })
  const body = { jsonrpc: '2.0', id: 1, method: 'ping' }
  const large = `[${' '.repeat(9000)}]`
  const json = { ...headers, 'content-type': 'application/json' }
  for (let count = 0; count < COSTLY_PER_SECOND; count++) {
    expect((await shop.call('POST', '/mcp', { headers, body })).status).toBe(200)
    expect((await shop.call('POST', '/api/v1/cart/validate', { headers: json, text: large })).status).toBe(200)
    const { socket } = await openEvents(shop.url, { headers })
    socket.terminate()
  }
  expect((await shop.call('POST', '/mcp', { headers, body })).status).toBe(429)
  expect((await shop.call('POST', '/api/v1/cart/validate', { headers: json, text: large })).status).toBe(429)
  expect((await shop.call('POST', '/api/v1/cart/validate', { headers: json, text: '[]' })).status).toBe(200)
  expect(await refusedHandshake(shop.url, { headers })).toMatchObject({ status: 429, body: { code: 'RATE_LIMITED' } })
})

test('a shop full of people who mistype never meets a limit', async () => {
  for (let second = 0; second < 20; second++) {
    // A misspelt search a second: six keystrokes behind the error, then the list and its facets.
    const [query = ''] = misspelt('', 1)
    const typed = [0, 1, 2, 3, 4, 5].map((left) => query.slice(0, query.length - left)).toReversed()
    const paths = [
      ...typed.map((text) => `/api/v1/products/suggest?q=${text}`),
      `/api/v1/products?search=${query}`,
      `/api/v1/products/facets?search=${query}`,
    ]
    const statuses = await Promise.all(paths.map((path) => get(path, { from: '192.0.2.6' })))
    expect(statuses).not.toContain(429)
    now.mockReturnValue(Date.now() + 1000)
  }
})

test('0 switches a limit off', async () => {
  const unlimited = await startTestShop({ RATE_LIMIT_PER_SECOND: '0', RATE_LIMIT_COSTLY_PER_SECOND: '0' })
  try {
    for (const path of [...times(PER_SECOND + 1), ...times(COSTLY_PER_SECOND + 1, '/v3/api-docs')])
      expect((await unlimited.call('GET', path)).status).toBe(200)
  } finally {
    await unlimited.close()
  }
})
