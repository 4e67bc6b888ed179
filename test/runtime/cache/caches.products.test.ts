import { expect, test } from 'vitest'
import { createCaches } from '../../../src/runtime/cache/caches.ts'
import type { ChangedId } from '../../../src/runtime/changes/changes.ts'
import type { ChangeKind } from '../../../src/runtime/changes/kinds.ts'

type ProductRecord = { id: number; json: Buffer }

/** A cache of products; `ask` returns what a page shows, `reads` lists the ids that were read for it. */
function productRecords({ maxBytes } = { maxBytes: 65_536 }) {
  const caches = createCaches()
  caches.setTrusted(true)
  const records = caches.create<Buffer>('products', { size: (json) => json.byteLength, maxBytes })
  const reads: number[][] = []
  const texts = new Map<number, string>()
  const deleted = new Set<number>()
  const read = async (ids: number[]): Promise<ProductRecord[]> => {
    reads.push(ids)
    return ids.filter((id) => !deleted.has(id)).map((id) => ({ id, json: Buffer.from(texts.get(id) ?? `${id}`) }))
  }
  const ask = async (ids: number[], readMissing = read) => {
    const shown = await records.getAll(ids.map(String), async (missing) => {
      const found = await readMissing(missing.map(Number))
      return new Map(found.map(({ id, json }) => [String(id), json]))
    })
    return ids.flatMap((id) => shown.get(String(id))?.toString() ?? []).join(' ')
  }
  const change = (kind: ChangeKind, ids: ChangedId[] | null) => caches.invalidate([{ kind, ids: ids && new Set(ids) }])
  return { caches, ask, reads, read, texts, deleted, change }
}

test('returns hits and misses in the order of the ids, without deleted records', async () => {
  const { ask, reads, deleted } = productRecords()
  deleted.add(4)
  expect(await ask([3, 1, 2])).toBe('3 1 2')
  expect(await ask([2, 4, 5, 3])).toBe('2 5 3')
  expect(await ask([1, 2, 3, 5])).toBe('1 2 3 5')
  expect(reads).toEqual([
    [3, 1, 2],
    [4, 5],
  ])
})

test('evicts the least recently used records beyond the limit of bytes', async () => {
  const { ask, reads } = productRecords({ maxBytes: 3 })
  await ask([1, 2, 3])
  await ask([1])
  await ask([4])
  expect(await ask([1, 3, 4])).toBe('1 3 4')
  expect(await ask([1, 2])).toBe('1 2')
  expect(reads).toEqual([[1, 2, 3], [4], [2]])
})

test('reads a changed product again, or all after a general change', async () => {
  const { ask, reads, texts, change, caches } = productRecords()
  await ask([1, 2, 3])
  texts.set(2, 'new')
  change('review', [2])
  expect(await ask([1, 2, 3])).toBe('1 2 3')
  change('product', [2])
  expect(await ask([1, 2, 3])).toBe('1 new 3')
  change('product', null)
  await ask([1, 2])
  change('category', [9])
  await ask([1])
  caches.clear()
  await ask([1])
  expect(reads.slice(1)).toEqual([[2], [1, 2], [1], [1]])
})

test('reads an ordered product again, or all after many orders', async () => {
  const { ask, reads, change } = productRecords()
  await ask([1, 2, 3])
  change('stock', [2, 9])
  await ask([1, 2, 3])
  change('stock', null)
  await ask([1, 3])
  expect(reads.slice(1)).toEqual([[2], [1, 3]])
})

test.each(['product', 'category', 'stock'] as const)(
  'records read across a change of a %s are returned, but not cached',
  async (kind) => {
    const { ask, reads, read, change } = productRecords()
    await ask([1], async (ids) => {
      const records = await read(ids)
      change(kind, [2])
      return records
    })
    await ask([1])
    expect(reads).toEqual([[1], [1]])
  },
)

test('returns a whole page although records are evicted during the read', async () => {
  const { ask, read, texts } = productRecords({ maxBytes: 3 })
  await ask([1, 2])
  const evicting = async (ids: number[]) => {
    texts.set(9, 'xxx')
    await ask([9])
    return read(ids)
  }
  expect(await ask([1, 2, 3], evicting)).toBe('1 2 3')
})

test('caches nothing while changes of other instances cannot be received', async () => {
  const { ask, reads, caches } = productRecords()
  await ask([1])
  caches.setTrusted(false)
  await ask([1])
  await ask([1])
  caches.setTrusted(true)
  await ask([1])
  expect(reads).toEqual([[1], [1], [1], [1]])
})
