import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { createProductColumns } from '../../../src/runtime/search/product-columns.ts'
import { createProductIndex, type ProductIndex } from '../../../src/runtime/search/product-index.ts'

let index: ProductIndex

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['performance'] })
  index = createProductIndex()
  index.setTrusted(true)
})
afterEach(() => {
  vi.useRealTimers()
})

const rebuild = () => index.replace(async () => createProductColumns())
/** Reads all products anew while something happens. */
const rebuildWhile = (happens: () => void) =>
  index.replace(async () => {
    happens()
    return createProductColumns()
  })
const changed = (...ids: number[]) => index.hear([{ kind: 'product', ids: new Set(ids) }])

test('it is ready when all products were read, and what changes is stale once', async () => {
  expect([index.ready, index.takeStale()]).toEqual([false, 'all'])
  await rebuild()
  expect(index.ready).toBe(true)
  changed(1, 2)
  index.hear([{ kind: 'stock', ids: new Set([2, 3]) }])
  index.hear([{ kind: 'demand', ids: new Set([4]) }])
  index.hear([{ kind: 'brand', ids: new Set([9]) }])
  expect([index.ready, index.takeStale(), index.takeStale()]).toEqual([
    true,
    new Set([1, 2, 3, 4]),
    new Set(),
  ])
})

test('what changes while all products are read is stale after it', async () => {
  await rebuildWhile(() => changed(7))
  expect([index.ready, index.takeStale()]).toEqual([true, new Set([7])])
})

test.each<[string, () => void]>([
  ['anything may have changed', () => index.hear([{ kind: 'product', ids: null }])],
  ['they could not be read', () => index.forget()],
  ['nothing could be heard', () => [false, true].forEach(index.setTrusted)],
])('all is stale after %s, also while all products are read', async (_, happens) => {
  await rebuildWhile(happens)
  expect([index.ready, index.takeStale()]).toEqual([false, 'all'])
  await rebuild()
  happens()
  expect([index.ready, index.takeStale()]).toEqual([false, 'all'])
})

test('a reading that fails leaves everything as it was', async () => {
  await rebuild()
  changed(1)
  await expect(index.replace(() => Promise.reject(new Error('away')))).rejects.toThrow('away')
  expect([index.ready, index.takeStale()]).toEqual([true, new Set([1])])
})

test('nothing is believed while nothing is heard', async () => {
  await rebuild()
  index.setTrusted(false)
  expect([index.ready, index.takeStale(), index.takeStale()]).toEqual([false, 'all', 'all'])
})

test('after five minutes all should be read again, since somebody may have written past the service; what is known still serves', async () => {
  await rebuild()
  vi.advanceTimersByTime(5 * 60_000 - 1)
  expect([index.ready, index.expired]).toEqual([true, false])
  vi.advanceTimersByTime(1)
  expect([index.ready, index.expired]).toEqual([true, true])
  await rebuildWhile(() => {
    changed(1)
    expect(index.takeStale()).toEqual(new Set([1]))
    changed(2)
  })
  // Both came behind what was read.
  expect([index.expired, index.takeStale()]).toEqual([false, new Set([1, 2])])
})

test('what changes while some are renewed is stale after it, though it was taken meanwhile', async () => {
  await rebuild()
  await index.renew(async () => {
    changed(1, 2)
    expect(index.takeStale()).toEqual(new Set([1, 2]))
    return () => expect(index.staleCount).toBe(0)
  })
  expect(index.takeStale()).toEqual(new Set([1, 2]))
  await index.renew(async () => {
    index.hear([{ kind: 'product', ids: null }])
    await rebuild()
    return () => {}
  })
  expect(index.takeStale()).toBe('all')
})

test('it lasts another five minutes when all have been renewed', async () => {
  await rebuild()
  vi.advanceTimersByTime(5 * 60_000)
  expect(index.expired).toBe(true)
  index.renewed()
  expect(index.expired).toBe(false)
})
