import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { createProductColumns } from '../../src/runtime/product-columns.ts'
import { createProductIndex, type ProductIndex } from '../../src/runtime/product-index.ts'

let index: ProductIndex

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['performance'] })
  index = createProductIndex()
  index.setTrusted(true)
})
afterEach(() => {
  vi.useRealTimers()
})

const rebuild = () => index.replace(createProductColumns())
const changed = (...ids: number[]) => index.hear([{ kind: 'product', ids: new Set(ids) }])

test('it is ready when all products were read, and what changes is stale once', () => {
  expect([index.ready, index.takeStale()]).toEqual([false, 'all'])
  rebuild()
  expect(index.ready).toBe(true)
  changed(1, 2)
  index.hear([{ kind: 'stock', ids: new Set([2, 3]) }])
  index.hear([{ kind: 'brand', ids: new Set([9]) }])
  expect([index.ready, index.takeStale(), index.takeStale()]).toEqual([true, new Set([1, 2, 3]), new Set()])
})

test('what changes while all products are read is stale after it', () => {
  index.takeStale()
  changed(7)
  rebuild()
  expect([index.ready, index.takeStale()]).toEqual([true, new Set([7])])
})

test.each<[string, () => void]>([
  ['anything may have changed', () => index.hear([{ kind: 'product', ids: null }])],
  ['thousands changed', () => changed(...Array.from({ length: 5001 }, (_, id) => id))],
  ['they could not be read', () => index.forget()],
  ['nothing could be heard', () => [false, true].forEach(index.setTrusted)],
])('all is stale after %s, also while all products are read', (_, happens) => {
  index.takeStale()
  happens()
  rebuild()
  expect([index.ready, index.takeStale()]).toEqual([false, 'all'])
  rebuild()
  happens()
  expect([index.ready, index.takeStale()]).toEqual([false, 'all'])
})

test('nothing is believed while nothing is heard', () => {
  index.takeStale()
  rebuild()
  index.setTrusted(false)
  expect([index.ready, index.takeStale(), index.takeStale()]).toEqual([false, 'all', 'all'])
})

test('after five minutes all is read again: somebody may have written past the service', () => {
  index.takeStale()
  rebuild()
  vi.advanceTimersByTime(5 * 60_000 - 1)
  expect(index.ready).toBe(true)
  vi.advanceTimersByTime(1)
  expect([index.ready, index.takeStale()]).toEqual([false, 'all'])
})
