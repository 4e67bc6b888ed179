import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { loginAs } from '../support/accounts.ts'
import { openEvents, refusedHandshake } from '../support/events.ts'
import { createProduct } from '../support/factories.ts'
import { startTestShop, type TestShop } from '../support/shop.ts'

let shop: TestShop

beforeAll(async () => {
  shop = await startTestShop({ TRUST_PROXY: 'loopback', RATE_LIMIT_COST: '64' })
  await createProduct(shop.deps.db, { name: 'Cordless screwdriver with case' })
})
afterAll(() => shop.close())

let address = 0
/** Sends each misspelt search once from one new address; returns the statuses. */
async function statusesOf(paths: string[], token?: string): Promise<number[]> {
  const headers = { 'x-forwarded-for': `192.0.2.${++address}` }
  const statuses: number[] = []
  for (const path of paths) {
    const { status } = await shop.call('GET', path, { headers, ...(token && { token }) })
    statuses.push(status)
  }
  return statuses
}

const LETTERS = 'abcdefghij'
/** Searches, each with another typing error in each of its words. */
const misspelt = (path: string, words: number, count: number, from = 0) =>
  Array.from({ length: count }, (_, at) => {
    const error = [...`${from + at}`].map((digit) => LETTERS[Number(digit)]).join('')
    return path + Array.from({ length: words }, (_, word) => `screw${error}driver${'s'.repeat(word)}`).join('+')
  })

test('limits the words corrected for one address on all routes, except cached ones and for staff', async () => {
  const now = vi.spyOn(performance, 'now').mockReturnValue(performance.now())
  try {
    const list = '/api/v1/products?search='
    const staff = await loginAs(shop, 'EDITOR')
    // 256 KB at once, 2 KB for each correction and as many for each of its words.
    const paths = [list, '/api/v1/products/facets?search=', '/api/v1/products/suggest?q=']
    for (const [index, path] of paths.entries())
      expect((await statusesOf(misspelt(path, 3, 33, 400 + 100 * index))).indexOf(429)).toBe(32)
    const searches = misspelt(list, 1, 65)
    expect((await statusesOf(searches)).indexOf(429)).toBe(64)
    const cached = searches.slice(0, 64)
    expect(await statusesOf([...cached, ...cached.slice(0, 1)])).not.toContain(429)
    expect(await statusesOf(misspelt(list, 1, 65, 100), staff)).not.toContain(429)
    const found = Array.from({ length: 65 }, (_, page) => `${list}cordless+case&page=${page}`)
    expect(await statusesOf(found)).not.toContain(429)
  } finally {
    now.mockRestore()
  }
})

test("charges agents' messages, and handshakes and tokens of live events", async () => {
  const now = vi.spyOn(performance, 'now').mockReturnValue(performance.now())
  try {
    const headers = { 'x-forwarded-for': '198.51.100.2' }
    const client = await openEvents(shop.url, { headers })
    const body = { jsonrpc: '2.0', id: 1, method: 'ping' }
    const ping = async () => (await shop.call('POST', '/mcp', { headers, body })).status
    // Of the 256 KB, the handshake has taken 4 KB.
    const affordable = Math.floor((252 * 1024) / (4096 + JSON.stringify(body).length))
    for (let count = 0; count < affordable; count++) expect(await ping()).toBe(200)
    expect(await ping()).toBe(429)
    expect(await client.ask({ type: 'authenticate', token: 'x' })).toMatchObject({ code: 'RATE_LIMITED' })
    expect(await refusedHandshake(shop.url, { headers })).toMatchObject({ status: 429 })
  } finally {
    now.mockRestore()
  }
})

test('a shop full of people who mistype never meets the limit', async () => {
  const now = vi.spyOn(performance, 'now').mockReturnValue(performance.now())
  try {
    const headers = { 'x-forwarded-for': '198.51.100.1' }
    for (let second = 0; second < 20; second++) {
      // A misspelt search of two words a second: six keystrokes behind the error, then the list and its facets.
      const [query = ''] = misspelt('', 2, 1, 300 + second)
      const typed = [0, 1, 2, 3, 4, 5].map((left) => query.slice(0, query.length - left)).toReversed()
      const paths = [
        ...typed.map((text) => `/api/v1/products/suggest?q=${text}`),
        `/api/v1/products?search=${query}`,
        `/api/v1/products/facets?search=${query}`,
      ]
      const answers = await Promise.all(paths.map((path) => shop.call('GET', path, { headers })))
      expect(answers.map(({ status }) => status)).not.toContain(429)
      now.mockReturnValue(performance.now() + 1000)
    }
  } finally {
    now.mockRestore()
  }
})
