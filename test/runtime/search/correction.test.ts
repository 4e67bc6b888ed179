import { expect, test } from 'vitest'
import { EVERY_ACTIVE } from '../../../src/rules/catalogue/product-filter.ts'
import { plainWord, readSearch } from '../../../src/rules/catalogue/search.ts'
import { combineCandidates, findCorrection } from '../../../src/runtime/search/correction.ts'
import { createProductIndex } from '../../../src/runtime/search/product-index.ts'

const plain = (...texts: string[]) => texts.map(plainWord)

test('combines the cheapest candidates first, then those of more frequent words', () => {
  const one = (text: string, cost: number, known = 1) => ({ words: plain(text), cost, known })
  const combined = combineCandidates(
    [
      [one('a', 0), one('b', 10, 5), one('c', 10, 7)],
      [one('x', 0), one('y', 11)],
    ],
    4,
  )
  expect(combined).toEqual([
    { words: plain('a', 'x'), cost: 0, known: 1 },
    { words: plain('c', 'x'), cost: 10, known: 1 },
    { words: plain('b', 'x'), cost: 10, known: 1 },
    { words: plain('a', 'y'), cost: 11, known: 1 },
  ])
})

/** An index of products with ten words each, all of which begin with one of a few letters. */
function indexOfMany() {
  const index = createProductIndex()
  const nothing = { external_id: null, category_id: null, brand_id: null, attributes: [], sold: 0, created_at: 1 }
  const wordOf = (id: number, at: number) => `${'abcdefghij'[(id * 7 + at * 3) % 9]}${(id * 31 + at * 17) % 3000}`
  const products = Array.from({ length: 2000 }, (_, id) => {
    const name = Array.from({ length: 10 }, (_, at) => wordOf(id, at)).join(' ')
    return { ...nothing, id, name, active: true, available: true, price: 1, stock: 1 }
  })
  index.put(products, (word) => word)
  return index
}

/** The least of ten measurements: a collection of garbage, or a compilation, is in some of them. */
async function cpuOf(work: () => unknown): Promise<number> {
  const measured: number[] = []
  for (let times = 0; times < 10; times++) {
    const before = process.cpuUsage()
    await work()
    // Their sum is exact, unlike its parts.
    const { user, system } = process.cpuUsage(before)
    measured.push(user + system)
  }
  return Math.min(...measured)
}

test('correcting a search with signs takes little longer than searching for each word', async () => {
  const index = indexOfMany()
  const tokens = readSearch('a1. b1. c1. d1. e1. f1. g1. h1. i1. j1.')
  const page = { order: 'match', page: 0, size: 20 } as const
  const searching = await cpuOf(() => tokens.map((token) => index.find({ ...EVERY_ACTIVE, tokens: [token] }, page)))
  const correcting = await cpuOf(() => findCorrection(index, tokens, async () => {}))
  expect(correcting / searching).toBeLessThan(20)
})

test('finds signs in the current name of a product', () => {
  const index = createProductIndex()
  const fields = { external_id: null, category_id: null, brand_id: null, attributes: [], sold: 0, created_at: 1 }
  const put = (name: string) => {
    const product = { ...fields, id: 1, name, active: true, available: true, price: 1, stock: 1 }
    index.put([product], () => '')
  }
  const count = (search: string) => index.count({ ...EVERY_ACTIVE, tokens: readSearch(search) })
  put('Learn C++')
  expect([count('c++'), count('c#')]).toEqual([1, 0])
  put('Learn C#')
  expect([count('c++'), count('c#')]).toEqual([0, 1])
})
