import { expect, test, vi } from 'vitest'
import type { Shown } from '../../../src/runtime/cache/cache.ts'
import { type Caches, createCaches } from '../../../src/runtime/cache/caches.ts'
import type { ChangedId, ChangeKind } from '../../../src/runtime/changes/changes.ts'

/** Caches over products whose availability the test sets; those that aren't named are gone. */
function trustedCaches(available: Record<number, boolean> = {}) {
  const stock = new Map(Object.entries(available).map(([id, is]) => [Number(id), is]))
  const readAvailability = vi.fn(
    async (ids: number[]) => new Map([...stock].filter(([id]) => ids.includes(id))),
  )
  const caches = createCaches(readAvailability)
  caches.setTrusted(true)
  return { caches, stock, readAvailability }
}

const change = (caches: Caches, kind: ChangeKind, ids: ChangedId[] | null = null) =>
  caches.apply([{ kind, ids: ids && new Set(ids) }])

/** A region of answers; `held` says which of the keys are still kept. */
function answers(caches: Caches) {
  const region = caches.region<Shown & { name: string }>({
    staleBy: ['category', 'setting'],
    shown: (value) => value,
  })
  const put = (name: string, products: Record<number, boolean>, anyProduct = false) => {
    const available = new Map(Object.entries(products).map(([id, is]) => [Number(id), is]))
    return region.get(name, async () => ({ name, anyProduct, available }))
  }
  const held = async (...names: string[]) => {
    const kept: string[] = []
    for (const name of names) {
      const probe = await region.get(name, () => Promise.reject(new Error('not held'))).catch(() => null)
      if (probe) kept.push(name)
    }
    return kept
  }
  return { region, put, held }
}

test('a region forgets at a change that it names, and at no other', async () => {
  const { caches } = trustedCaches()
  const region = caches.region<number>({ staleBy: ['category'] })
  let loads = 0
  const load = async () => ++loads
  expect(await region.get('a', load)).toBe(1)
  await change(caches, 'brand', [1])
  await change(caches, 'order', [1])
  expect(await region.get('a', load)).toBe(1)
  await change(caches, 'category', [1])
  expect(await region.get('a', load)).toBe(2)
})

test('a setting that the catalogue does not show leaves it alone, and is fresh among the settings', async () => {
  const { caches } = trustedCaches()
  const settings = caches.region<number>({ staleBy: ['setting'], settings: 'all' })
  const { put, held } = answers(caches)
  await put('card', {})
  await settings.get('all', async () => 1)
  await change(caches, 'setting', ['contact_limit_per_ip'])
  expect(await held('card')).toEqual(['card'])
  expect(await settings.get('all', async () => 2)).toBe(2)
  await change(caches, 'setting', ['site_name'])
  expect(await held('card')).toEqual([])
  expect(await settings.get('all', async () => 3)).toBe(3)
})

test('a changed product takes along what shows it, and every list and count', async () => {
  const { caches } = trustedCaches()
  const { put, held } = answers(caches)
  const fill = async () => {
    await put('card 1', { 1: true })
    await put('card 2', { 2: true })
    await put('list', { 2: true }, true)
    await put('counts', {}, true)
  }
  await fill()
  await change(caches, 'product', [1, 7])
  expect(await held('card 1', 'card 2', 'list', 'counts')).toEqual(['card 2'])
  caches.clear()
  await fill()
  await change(caches, 'product')
  expect(await held('card 2', 'list', 'counts')).toEqual([])
})

test('quantities that are taken make stale only what shows another availability than there is now', async () => {
  const { caches, stock, readAvailability } = trustedCaches({ 1: true, 2: true, 3: true })
  const { put, held } = answers(caches)
  await put('card 1', { 1: true })
  await put('card 2', { 2: true })
  await put('page 1', { 1: true, 2: true, 3: true }, true)
  await put('page 2', { 3: true }, true)
  await change(caches, 'stock', [1, 2])
  expect(await held('card 1', 'card 2', 'page 1', 'page 2')).toHaveLength(4)
  expect(readAvailability).toHaveBeenCalledExactlyOnceWith([1, 2])
  // Nobody shows it: nobody asks.
  await change(caches, 'stock', [9])
  expect(readAvailability).toHaveBeenCalledTimes(1)
  stock.set(1, false)
  await change(caches, 'stock', [1, 2])
  expect(await held('card 1', 'card 2', 'page 1', 'page 2')).toEqual(['card 2', 'page 2'])
})

test('without an answer about the stock, all that shows these products is stale', async () => {
  const { caches, readAvailability } = trustedCaches({ 1: true, 2: true })
  const { put, held } = answers(caches)
  await put('card 1', { 1: true })
  await put('card 2', { 2: true })
  readAvailability.mockRejectedValueOnce(new Error('the database is away'))
  await change(caches, 'stock', [1])
  expect(await held('card 1', 'card 2')).toEqual(['card 2'])
  await put('card 1', { 1: true })
  await change(caches, 'stock')
  expect(readAvailability).toHaveBeenLastCalledWith(expect.arrayContaining([1, 2]))
})

test.each(['category', 'product', 'stock'] as const)(
  'a load that began before a change of a %s answers those who wait, and is not kept',
  async (kind) => {
    const { caches } = trustedCaches()
    const { region } = answers(caches)
    const { promise, resolve } = Promise.withResolvers<string>()
    const value = (name: string) => ({ name, anyProduct: false, available: new Map() })
    const waiting = [
      region.get('a', async () => value(await promise)),
      region.get('a', async () => value('not asked')),
    ]
    await change(caches, kind, [1])
    const later = region.get('a', async () => value('new'))
    resolve('old')
    expect((await Promise.all(waiting)).map(({ name }) => name)).toEqual(['old', 'old'])
    expect((await later).name).toBe('new')
    expect((await region.get('a', async () => value('newer'))).name).toBe('new')
  },
)

test('of what only the popular is held of, each is held when it is asked for again', async () => {
  const region = trustedCaches().caches.region<number>({ staleBy: ['category'], onlyPopular: true })
  let loads = 0
  const ask = (key: string) => region.get(key, async () => ++loads)
  expect([await ask('a'), await ask('a'), await ask('a'), await ask('a')]).toEqual([1, 2, 2, 2])
  // Those who ask at the same time share the load, and there are two of them.
  expect(await Promise.all([ask('b'), ask('b')])).toEqual([3, 3])
  expect(await ask('b')).toBe(3)
  const askAll = async (...keys: string[]) => {
    const found = await region.getAll(keys, async (missing) => new Map(missing.map((key) => [key, ++loads])))
    return keys.map((key) => found.get(key))
  }
  expect(await askAll('a', 'c')).toEqual([2, 4])
  expect(await askAll('c', 'd')).toEqual([5, 6])
  expect(await askAll('c', 'd')).toEqual([5, 7])
})

test('what is popular is held again at once after a change', async () => {
  const { caches } = trustedCaches()
  const region = caches.region<number>({ staleBy: ['category'], onlyPopular: true })
  let loads = 0
  const ask = () => region.get('a', async () => ++loads)
  for (let times = 0; times < 3; times++) await ask()
  await change(caches, 'category', [1])
  expect([await ask(), await ask()]).toEqual([3, 3])
})

test('a value is held as the region keeps it', async () => {
  const region = trustedCaches().caches.region<string>({ staleBy: [], keep: (value) => `kept ${value}` })
  await region.get('a', async () => 'a')
  expect(await region.get('a', async () => 'other')).toBe('kept a')
  expect(await region.getAll(['a', 'b'], async () => new Map([['b', 'b']]))).toEqual(
    new Map([
      ['a', 'kept a'],
      ['b', 'b'],
    ]),
  )
  expect(await region.getAll(['b'], async () => new Map())).toEqual(new Map([['b', 'kept b']]))
})

test('a failed load is not kept', async () => {
  const region = trustedCaches().caches.region<string>({ staleBy: [] })
  await expect(region.get('a', () => Promise.reject(new Error('down')))).rejects.toThrow('down')
  expect(await region.get('a', async () => 'up')).toBe('up')
})

test('nothing is kept while changes cannot be heard', async () => {
  const { caches } = trustedCaches()
  const region = caches.region<number>({ staleBy: [] })
  let loads = 0
  const load = async () => ++loads
  await region.get('a', load)
  caches.setTrusted(false)
  expect([await region.get('a', load), await region.get('a', load)]).toEqual([2, 3])
  // Nor is what was held before: it may have changed meanwhile.
  caches.setTrusted(true)
  expect([await region.get('a', load), await region.get('a', load)]).toEqual([4, 4])
})

test('large answers push the oldest out long before there are a thousand', async () => {
  const { caches } = trustedCaches()
  const region = caches.region<Buffer>({ staleBy: [], size: (bytes) => bytes.byteLength })
  const load = async () => Buffer.alloc(1024 * 1024)
  for (let n = 0; n < 100; n++) await region.get(String(n), load)
  const reloaded: number[] = []
  for (let n = 99; n >= 0; n--) {
    await region.get(String(n), async () => {
      reloaded.push(n)
      return Buffer.alloc(0)
    })
  }
  expect(reloaded).toEqual(Array.from({ length: 92 }, (_, index) => 91 - index))
})

test('a region with keys that are ids forgets what was changed, be it only just being read', async () => {
  const { caches } = trustedCaches()
  const region = caches.region<string>({ staleBy: [], keyedBy: 'image' })
  const read = (id: string, value: string) => region.get(id, async () => value)
  await read('1', 'old')
  await read('2', 'old')
  const { promise, resolve } = Promise.withResolvers<string>()
  const reading = region.get('3', () => promise)
  await change(caches, 'image', [1, 3])
  await change(caches, 'product', [2])
  resolve('old')
  expect(await reading).toBe('old')
  const again = () => Promise.all(['1', '2', '3'].map((id) => read(id, 'new')))
  expect(await again()).toEqual(['new', 'old', 'new'])
  await change(caches, 'image', null)
  expect(await read('2', 'new')).toBe('new')
})
