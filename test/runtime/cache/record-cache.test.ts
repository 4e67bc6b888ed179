import { expect, test } from 'vitest'
import { createCaches } from '../../../src/runtime/cache/caches.ts'
import type { CachedRecord } from '../../../src/runtime/cache/record-cache.ts'
import type { ChangedId, ChangeKind } from '../../../src/runtime/changes/changes.ts'

/** Records of products; `ask` tells what a page says, `read` which ids were read for it. */
function heldProducts({ bytes } = { bytes: 65_536 }) {
  const stock = new Map<number, boolean>()
  const caches = createCaches(async (ids) => new Map([...stock].filter(([id]) => ids.includes(id))))
  caches.setTrusted(true)
  const records = caches.records({ staleBy: ['category'], keyedBy: 'product', showsStock: true, bytes })
  const read: number[][] = []
  const said = new Map<number, string>()
  const gone = new Set<number>()
  const readNow = async (ids: number[]): Promise<Map<number, CachedRecord>> => {
    read.push(ids)
    const record = (id: number): [number, CachedRecord] => [
      id,
      { json: Buffer.from(said.get(id) ?? `${id}`), version: 0, available: true },
    ]
    return new Map(ids.filter((id) => !gone.has(id)).map(record))
  }
  const ask = (ids: number[], readThem = readNow, version = 0) =>
    records.joinAll(
      ids.map((id) => ({ id, version })),
      readThem,
      (all) => all.map(({ json }) => json.toString()).join(' '),
    )
  const change = (kind: ChangeKind, ids: ChangedId[] | null) =>
    caches.apply([{ kind, ids: ids && new Set(ids) }])
  return { caches, ask, read, readNow, said, gone, stock, change }
}

test('a page is put together in its order, of what is held and what is read', async () => {
  const { ask, read, gone } = heldProducts()
  gone.add(4)
  expect(await ask([3, 1, 2])).toBe('3 1 2')
  expect(await ask([2, 4, 5, 3])).toBe('2 5 3')
  expect(await ask([1, 2, 3, 5])).toBe('1 2 3 5')
  expect(read).toEqual([
    [3, 1, 2],
    [4, 5],
  ])
})

test('what a change names is read again, and all of it after one that concerns all', async () => {
  const { ask, read, said, change, caches } = heldProducts()
  await ask([1, 2, 3])
  said.set(2, 'new')
  await change('brand', [2])
  expect(await ask([1, 2, 3])).toBe('1 2 3')
  await change('product', [2])
  expect(await ask([1, 2, 3])).toBe('1 new 3')
  await change('product', null)
  await ask([1, 2])
  await change('category', [9])
  await ask([1])
  caches.clear()
  await ask([1])
  expect(read.slice(1)).toEqual([[2], [1, 2], [1], [1]])
})

test('an order drops what shows another availability than there is now', async () => {
  const { ask, read, stock, change } = heldProducts()
  await ask([1, 2, 3])
  stock.set(1, true).set(2, false)
  await change('stock', [1, 2])
  await ask([1, 2, 3])
  await change('stock', null)
  await ask([1, 2, 3])
  expect(read.slice(1)).toEqual([[2], [2, 3]])
})

test('another version than the one that is wanted is read anew', async () => {
  const { ask, read } = heldProducts()
  await ask([1])
  await ask([1], undefined, 7)
  expect(read).toEqual([[1], [1]])
})

test('what was read before a change is given to who asked, and not held', async () => {
  for (const kind of ['product', 'category', 'stock'] as const) {
    const { ask, read, readNow, change } = heldProducts()
    await ask([1], async (ids) => {
      const records = await readNow(ids)
      await change(kind, [2])
      return records
    })
    await ask([1])
    expect([kind, read]).toEqual([kind, [[1], [1]]])
  }
})

test('what is dropped or overwritten while the rest is read is read, too', async () => {
  const { ask, readNow, said, change } = heldProducts({ bytes: 1024 })
  await ask([1, 2])
  const during = async (ids: number[]) => {
    if (ids.includes(3)) {
      said.set(1, 'new')
      await change('product', [1])
      // Enough to fill the ring: nothing of what was held is left.
      said.set(9, 'x'.repeat(1024))
      await ask([9])
    }
    return readNow(ids)
  }
  expect(await ask([1, 2, 3], during)).toBe('new 2 3')
})

test('nothing is held while changes cannot be heard', async () => {
  const { ask, read, caches } = heldProducts()
  await ask([1])
  caches.setTrusted(false)
  await ask([1])
  await ask([1])
  caches.setTrusted(true)
  await ask([1])
  expect(read).toEqual([[1], [1], [1], [1]])
})
