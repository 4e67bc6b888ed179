import { expect, test } from 'vitest'
import { rateLimited } from '../../../src/errors.ts'
import { type Caches, createCaches } from '../../../src/runtime/cache/caches.ts'
import type { ChangedId } from '../../../src/runtime/changes/changes.ts'
import type { ChangeKind } from '../../../src/runtime/changes/kinds.ts'

function trustedCaches() {
  const caches = createCaches()
  caches.setTrusted(true)
  return caches
}

const change = (caches: Caches, kind: ChangeKind, ids: ChangedId[] | null = null) =>
  caches.invalidate([{ kind, ids: ids && new Set(ids) }])

test('invalidates a cache by the kinds of change that name it only', async () => {
  const caches = trustedCaches()
  const cache = caches.create<number>('category_tree')
  let loads = 0
  const load = async () => ++loads
  expect(await cache.get('a', load)).toBe(1)
  change(caches, 'brand', [1])
  change(caches, 'order', [1])
  expect(await cache.get('a', load)).toBe(1)
  change(caches, 'category', [1])
  expect(await cache.get('a', load)).toBe(2)
})

test.each(['category', 'product'] as const)(
  'a load in progress at a change of a %s answers its callers, but is not cached',
  async (kind) => {
    const caches = trustedCaches()
    const cache = caches.create<string>('products')
    const { promise, resolve } = Promise.withResolvers<string>()
    const waiting = [cache.get('1', () => promise), cache.get('1', async () => 'not asked')]
    change(caches, kind, [2])
    const later = cache.get('1', async () => 'new')
    resolve('old')
    expect(await Promise.all(waiting)).toEqual(['old', 'old'])
    expect(await later).toBe('new')
    expect(await cache.get('1', async () => 'newer')).toBe('new')
  },
)

test('does not cache a failed load', async () => {
  const cache = trustedCaches().create<string>('settings')
  await expect(cache.get('a', () => Promise.reject(new Error('down')))).rejects.toThrow('down')
  expect(await cache.get('a', async () => 'up')).toBe('up')
})

test('caches nothing while changes of other instances cannot be received', async () => {
  const caches = trustedCaches()
  const cache = caches.create<number>('settings')
  let loads = 0
  const load = async () => ++loads
  await cache.get('a', load)
  caches.setTrusted(false)
  expect([await cache.get('a', load), await cache.get('a', load)]).toEqual([2, 3])
  // Earlier entries may have become stale meanwhile.
  caches.setTrusted(true)
  expect([await cache.get('a', load), await cache.get('a', load)]).toEqual([4, 4])
})

test('evicts values beyond the limit of bytes', async () => {
  const caches = trustedCaches()
  const cache = caches.create<Buffer>('answers', { size: (bytes) => bytes.byteLength })
  const load = async () => Buffer.alloc(1024 * 1024)
  for (let n = 0; n < 100; n++) await cache.get(String(n), load)
  const reloaded: number[] = []
  for (let n = 99; n >= 0; n--) {
    await cache.get(String(n), async () => {
      reloaded.push(n)
      return Buffer.alloc(0)
    })
  }
  expect(reloaded).toEqual(Array.from({ length: 92 }, (_, index) => 91 - index))
})

test('counts hits, misses, evictions and bytes of each cache by its name', async () => {
  const caches = trustedCaches()
  const plain = caches.create<number>('settings')
  const sized = caches.create<Buffer>('answers', { size: (bytes) => bytes.byteLength })
  for (const key of ['a', 'a', 'b']) await plain.get(key, async () => 1)
  await plain.getAll(['a', 'c'], async () => new Map([['c', 3]]))
  for (const key of ['a', 'b', 'c']) await sized.get(key, async () => Buffer.alloc(3 * 1024 * 1024))
  expect(Object.fromEntries(caches.stats())).toEqual({
    settings: { hits: 2, misses: 3, evictions: 0, bytes: null },
    answers: { hits: 0, misses: 3, evictions: 1, bytes: 6 * 1024 * 1024 },
  })
  // An invalidation makes no room for others.
  caches.clear()
  expect(caches.stats().get('answers')).toMatchObject({ evictions: 1, bytes: 0 })
})

test('invalidates a cache keyed by id by id, including loads in progress', async () => {
  const caches = trustedCaches()
  const cache = caches.create<string>('images')
  const read = (id: string, value: string) => cache.get(id, async () => value)
  await read('1', 'old')
  await read('2', 'old')
  const { promise, resolve } = Promise.withResolvers<string>()
  const reading = cache.get('3', () => promise)
  change(caches, 'image', [1, 3])
  change(caches, 'product', [2])
  resolve('old')
  expect(await reading).toBe('old')
  const again = () => Promise.all(['1', '2', '3'].map((id) => read(id, 'new')))
  expect(await again()).toEqual(['new', 'old', 'new'])
  change(caches, 'image', null)
  expect(await read('2', 'new')).toBe('new')
})

test('loads again for callers who joined a load beyond its client’s rate limit', async () => {
  const caches = trustedCaches()
  const cache = caches.create<number>('settings')
  const results = await Promise.allSettled([
    cache.get('a', () => Promise.reject(rateLimited(1000))),
    cache.get('a', async () => 1),
  ])
  expect(results.map(({ status }) => status)).toEqual(['rejected', 'fulfilled'])
  const failed = await Promise.allSettled([
    cache.get('b', () => Promise.reject(new Error('down'))),
    cache.get('b', async () => 1),
  ])
  expect(failed.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
})
