import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { loginAs } from '../support/accounts.ts'
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
    return (
      path + Array.from({ length: words }, (_, word) => `screw${error}driver${'s'.repeat(word)}`).join('+')
    )
  })

test('an address may have so many words corrected, whichever way it asks; cached ones and staff are free', async () => {
  const now = vi.spyOn(performance, 'now').mockReturnValue(performance.now())
  try {
    const list = '/api/v1/products?search='
    const staff = await loginAs(shop, 'EDITOR')
    // 256 KB at once, 8 KB for each correction of three words beside the answer.
    const paths: [string, number][] = [
      [list, Math.floor(256 / (2 + 8))],
      ['/api/v1/products/facets?search=', 256 / (8 + 8)],
      ['/api/v1/products/suggest?q=', Math.floor(256 / (2 + 8))],
    ]
    for (const [index, [path, most]] of paths.entries()) {
      // No more than one is refused, because refusals are held for a second.
      const searches = misspelt(path, 3, most + 1, 400 + 100 * index)
      expect((await statusesOf(searches)).indexOf(429)).toBe(most)
    }
    const searches = misspelt(list, 1, 43)
    expect((await statusesOf(searches)).indexOf(429)).toBe(42)
    const cached = searches.slice(0, 42)
    expect(await statusesOf([...cached, ...cached.slice(0, 1)])).not.toContain(429)
    expect(await statusesOf(misspelt(list, 1, 65, 100), staff)).not.toContain(429)
  } finally {
    now.mockRestore()
  }
})

test('an address may have so many lists, suggestions and facets made anew; cached ones are free', async () => {
  const now = vi.spyOn(performance, 'now').mockReturnValue(performance.now())
  try {
    const paths: [string, number][] = [
      ['/api/v1/products?minPrice=', 128],
      // Numbers that no product has are corrected too.
      ['/api/v1/products/suggest?q=', Math.floor(256 / (2 + 4))],
      ['/api/v1/products/facets?minPrice=', 32],
    ]
    for (const [path, most] of paths) {
      const varied = Array.from({ length: most + 1 }, (_, n) => `${path}${n}`)
      expect((await statusesOf(varied)).indexOf(429)).toBe(most)
      // What was asked for twice is cached.
      const asked = varied.slice(0, most)
      expect(await statusesOf(asked)).not.toContain(429)
      expect(await statusesOf([...asked, ...asked.slice(0, 1)])).not.toContain(429)
    }
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
