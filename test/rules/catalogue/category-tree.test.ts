import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  ancestorsOf,
  arrangeCategories,
  type CategoryRecord,
  movedIds,
  subtreeOf,
} from '../../../src/rules/catalogue/category-tree.ts'

function category(id: number, parentId: number | null, more: Partial<CategoryRecord> = {}): CategoryRecord {
  return {
    id,
    name: `Category ${id}`,
    parent_id: parentId,
    parent_external_id: null,
    enabled: true,
    auto_hidden_by_visibility_sync: false,
    display_order: 0,
    ...more,
  }
}

test('orders siblings by displayOrder, then name, then id', () => {
  const { roots } = arrangeCategories([
    category(1, null, { name: 'Ящики' }),
    category(2, null, { name: 'ёлки' }),
    category(3, null, { name: 'Жгуты' }),
    category(4, null, { name: 'Полка 10' }),
    category(5, null, { name: 'Полка 9' }),
    category(6, null, { name: 'Полка 9' }),
    category(7, null, { display_order: -1 }),
  ])
  expect(roots.map(({ row }) => row.id)).toEqual([7, 2, 3, 5, 6, 4, 1])
})

test('hides the descendants of a hidden category', () => {
  const { byId } = arrangeCategories([
    category(1, null, { enabled: false }),
    category(2, 1),
    category(3, 2),
    category(4, null, { auto_hidden_by_visibility_sync: true }),
    category(5, 4),
    category(6, null),
  ])
  expect([...byId.values()].filter(({ visible }) => visible).map(({ row }) => row.id)).toEqual([6])
})

test('cuts a cycle above its smallest id and keeps its other descendants', () => {
  const { byId, roots } = arrangeCategories([
    category(5, 7),
    category(6, 5),
    category(7, 6),
    category(1, 6),
    category(9, 9),
  ])
  expect(roots.map(({ row, orphan }) => [row.id, orphan])).toEqual([
    [5, true],
    [9, true],
  ])
  const one = byId.get(1)
  expect(one && ancestorsOf(one).map(({ row }) => row.id)).toEqual([5, 6])
})

test('marks categories with a missing parent as orphans, and not roots', () => {
  const { roots } = arrangeCategories([
    category(1, null),
    category(2, 99),
    category(3, null, { parent_external_id: 'unknown' }),
  ])
  expect(roots.filter(({ orphan }) => orphan).map(({ row }) => row.id)).toEqual([2, 3])
})

test('places every category exactly once, whatever the parents', () => {
  const parents = fc.array(fc.option(fc.integer({ min: 0, max: 40 }), { nil: null }), { maxLength: 40 })
  fc.assert(
    fc.property(parents, (parentIds) => {
      const { roots } = arrangeCategories(parentIds.map((parentId, id) => category(id, parentId)))
      const placed = roots.flatMap(subtreeOf).map(({ row }) => row.id)
      expect(placed.sort((a, b) => a - b)).toEqual(parentIds.map((_, id) => id))
    }),
  )
})

test('copes with a chain of a hundred thousand, and as many siblings', () => {
  const name = 'Same'
  const chain = Array.from({ length: 100_000 }, (_, id) => category(id, id === 0 ? null : id - 1, { name }))
  const last = arrangeCategories(chain).byId.get(99_999)
  expect(last && ancestorsOf(last)).toHaveLength(99_999)
  const wide = Array.from({ length: 200_000 }, (_, id) => category(id, id === 0 ? null : 0, { name }))
  expect(arrangeCategories(wide).roots.flatMap(subtreeOf)).toHaveLength(200_000)
})

test.each([
  [[1, 2, 3, 4], [1, 2, 3, 4], []],
  [[1, 2, 3, 4], [4, 1, 2, 3], [4]],
  [[1, 2, 3, 4], [2, 3, 4, 1], [1]],
  [[1, 2, 3, 4], [1, 3, 2, 4], [3]],
  [
    [1, 2, 3, 4, 5],
    [5, 2, 3, 1, 4],
    [5, 1],
  ],
  [[], [], []],
])('tells which of %j were moved to make %j', (before, after, moved) => {
  expect(movedIds(before, after)).toEqual(moved)
})

test('takes a single move of one among many for a move of that one', () => {
  const places = fc.tuple(fc.integer({ min: 0, max: 99 }), fc.integer({ min: 0, max: 99 }))
  const before = Array.from({ length: 100 }, (_, n) => n + 1)
  fc.assert(
    fc.property(places, ([from, to]) => {
      const id = before[from] ?? 0
      const after = before.toSpliced(from, 1).toSpliced(to, 0, id)
      const moved = movedIds(before, after)
      // Of two neighbours that changed places either may be meant.
      expect(moved).toHaveLength(from === to ? 0 : 1)
      if (Math.abs(from - to) > 1) expect(moved).toEqual([id])
    }),
  )
})
