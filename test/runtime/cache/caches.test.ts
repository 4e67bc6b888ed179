import { expect, test, vi } from 'vitest'
import { rateLimited } from '../../../src/errors.ts'
import type { Shown } from '../../../src/runtime/cache/cache.ts'
import { type Caches, createCaches } from '../../../src/runtime/cache/caches.ts'
import type { ChangedId, ChangeKind } from '../../../src/runtime/changes/changes.ts'

/** Caches over products whose availability the test sets; the others are deleted. */
function trustedCaches(available: Record<number, boolean> = {}) {
  const stock = new Map(Object.entries(available).map(([id, is]) => [Number(id), is]))
  const readAvailability = vi.fn(async (ids: number[]) => new Map([...stock].filter(([id]) => ids.includes(id))))
  const caches = createCaches(readAvailability)
  caches.setTrusted(true)
  return { caches, stock, readAvailability }
}

const change = (caches: Caches, kind: ChangeKind, ids: ChangedId[] | null = null) =>
  caches.invalidate([{ kind, ids: ids && new Set(ids) }])

/** A cache of answers; `cached` returns those of the keys that have an entry. */
function answers(caches: Caches) {
  const cache = caches.create<Shown & { name: string }>('answers', {
    staleBy: ['category', 'setting'],
    shown: (value) => value,
  })
  const put = (name: string, products: Record<number, boolean>, anyProduct = false) => {
    const available = new Map(Object.entries(products).map(([id, is]) => [Number(id), is]))
    return cache.get(name, async () => ({ name, anyProduct, available }))
  }
  const cached = async (...names: string[]) => {
    const found: string[] = []
    for (const name of names) {
      const probe = await cache.get(name, () => Promise.reject(new Error('miss'))).catch(() => null)
      if (probe) found.push(name)
    }
    return found
  }
  return { cache, put, cached }
}

test('invalidates a cache by the kinds of change that it names only', async () => {
  const { caches } = trustedCaches()
  const cache = caches.create<number>('test', { staleBy: ['category'] })
  let loads = 0
  const load = async () => ++loads
  expect(await cache.get('a', load)).toBe(1)
  await change(caches, 'brand', [1])
  await change(caches, 'order', [1])
  expect(await cache.get('a', load)).toBe(1)
  await change(caches, 'category', [1])
  expect(await cache.get('a', load)).toBe(2)
})

test('a setting without effect on the catalogue invalidates only the settings', async () => {
  const { caches } = trustedCaches()
  const settings = caches.create<number>('test', { staleBy: ['setting'], settings: 'all' })
  const { put, cached } = answers(caches)
  await put('card', {})
  await settings.get('all', async () => 1)
  await change(caches, 'setting', ['contact_limit_per_ip'])
  expect(await cached('card')).toEqual(['card'])
  expect(await settings.get('all', async () => 2)).toBe(2)
  await change(caches, 'setting', ['site_name'])
  expect(await cached('card')).toEqual([])
  expect(await settings.get('all', async () => 3)).toBe(3)
})

test('invalidates a changed product’s card and all lists and counts', async () => {
  const { caches } = trustedCaches()
  const { put, cached } = answers(caches)
  const fill = async () => {
    await put('card 1', { 1: true })
    await put('card 2', { 2: true })
    await put('list', { 2: true }, true)
    await put('counts', {}, true)
  }
  await fill()
  await change(caches, 'product', [1, 7])
  expect(await cached('card 1', 'card 2', 'list', 'counts')).toEqual(['card 2'])
  caches.clear()
  await fill()
  await change(caches, 'product')
  expect(await cached('card 2', 'list', 'counts')).toEqual([])
})

test('invalidates only changed availability by an order', async () => {
  const { caches, stock, readAvailability } = trustedCaches({ 1: true, 2: true, 3: true })
  const { put, cached } = answers(caches)
  await put('card 1', { 1: true })
  await put('card 2', { 2: true })
  await put('page 1', { 1: true, 2: true, 3: true }, true)
  await put('page 2', { 3: true }, true)
  await change(caches, 'stock', [1, 2])
  expect(await cached('card 1', 'card 2', 'page 1', 'page 2')).toHaveLength(4)
  expect(readAvailability).toHaveBeenCalledExactlyOnceWith([1, 2])
  // It isn't shown anywhere.
  await change(caches, 'stock', [9])
  expect(readAvailability).toHaveBeenCalledTimes(1)
  stock.set(1, false)
  await change(caches, 'stock', [1, 2])
  expect(await cached('card 1', 'card 2', 'page 1', 'page 2')).toEqual(['card 2', 'page 2'])
})

test('invalidates everything that shows the products if availability cannot be read', async () => {
  const { caches, readAvailability } = trustedCaches({ 1: true, 2: true })
  const { put, cached } = answers(caches)
  await put('card 1', { 1: true })
  await put('card 2', { 2: true })
  readAvailability.mockRejectedValueOnce(new Error('the database is away'))
  await change(caches, 'stock', [1])
  expect(await cached('card 1', 'card 2')).toEqual(['card 2'])
  await put('card 1', { 1: true })
  await change(caches, 'stock')
  expect(readAvailability).toHaveBeenLastCalledWith(expect.arrayContaining([1, 2]))
})

test.each(['category', 'product', 'stock'] as const)(
  'a load in progress at a change of a %s answers its callers, but is not cached',
  async (kind) => {
    const { caches } = trustedCaches()
    const { cache } = answers(caches)
    const { promise, resolve } = Promise.withResolvers<string>()
    const value = (name: string) => ({ name, anyProduct: false, available: new Map() })
    const waiting = [cache.get('a', async () => value(await promise)), cache.get('a', async () => value('not asked'))]
    await change(caches, kind, [1])
    const later = cache.get('a', async () => value('new'))
    resolve('old')
    expect((await Promise.all(waiting)).map(({ name }) => name)).toEqual(['old', 'old'])
    expect((await later).name).toBe('new')
    expect((await cache.get('a', async () => value('newer'))).name).toBe('new')
  },
)

test('does not cache a failed load', async () => {
  const cache = trustedCaches().caches.create<string>('test', { staleBy: [] })
  await expect(cache.get('a', () => Promise.reject(new Error('down')))).rejects.toThrow('down')
  expect(await cache.get('a', async () => 'up')).toBe('up')
})

test('caches nothing while changes of other instances cannot be received', async () => {
  const { caches } = trustedCaches()
  const cache = caches.create<number>('test', { staleBy: [] })
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
  const { caches } = trustedCaches()
  const cache = caches.create<Buffer>('test', { staleBy: [], size: (bytes) => bytes.byteLength })
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
  const { caches } = trustedCaches()
  const plain = caches.create<number>('plain', { staleBy: [] })
  const sized = caches.create<Buffer>('sized', { staleBy: [], size: (bytes) => bytes.byteLength })
  for (const key of ['a', 'a', 'b']) await plain.get(key, async () => 1)
  await plain.getAll(['a', 'c'], async () => new Map([['c', 3]]))
  for (const key of ['a', 'b', 'c']) await sized.get(key, async () => Buffer.alloc(3 * 1024 * 1024))
  expect(Object.fromEntries(caches.stats())).toEqual({
    plain: { hits: 2, misses: 3, evictions: 0, bytes: null },
    sized: { hits: 0, misses: 3, evictions: 1, bytes: 6 * 1024 * 1024 },
  })
  // An invalidation makes no room for others.
  caches.clear()
  expect(caches.stats().get('sized')).toMatchObject({ evictions: 1, bytes: 0 })
})

test('invalidates a cache keyed by id by id, including loads in progress', async () => {
  const { caches } = trustedCaches()
  const cache = caches.create<string>('test', { staleBy: [], keyedBy: 'image' })
  const read = (id: string, value: string) => cache.get(id, async () => value)
  await read('1', 'old')
  await read('2', 'old')
  const { promise, resolve } = Promise.withResolvers<string>()
  const reading = cache.get('3', () => promise)
  await change(caches, 'image', [1, 3])
  await change(caches, 'product', [2])
  resolve('old')
  expect(await reading).toBe('old')
  const again = () => Promise.all(['1', '2', '3'].map((id) => read(id, 'new')))
  expect(await again()).toEqual(['new', 'old', 'new'])
  await change(caches, 'image', null)
  expect(await read('2', 'new')).toBe('new')
})

test('loads again for callers who joined a load beyond its client’s rate limit', async () => {
  const { caches } = trustedCaches()
  const cache = caches.create<number>('test', { staleBy: [] })
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
