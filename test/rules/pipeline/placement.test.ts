import fc from 'fast-check'
import { expect, test } from 'vitest'
import { placeMapped } from '../../../src/rules/pipeline/placement.ts'

const feed = [
  { id: 'root', name: 'Root', parentId: null },
  { id: 'middle', name: 'Middle', parentId: 'root' },
  { id: 'leaf', name: 'Leaf', parentId: 'middle' },
  { id: 'lost', name: 'Lost', parentId: 'nowhere' },
]
const categories = [1, 2, 3, 4].map((id) => ({ id, parentId: id === 4 ? 3 : null }))
const place = (mappings: [string, number][], ours = categories) =>
  placeMapped({ feed, mappings: new Map(mappings), categories: ours })

test('moves a category below its nearest mapped ancestor or to the top level', () => {
  expect(
    place([
      ['root', 1],
      ['leaf', 4],
    ]).placements,
  ).toEqual([
    { id: 1, name: 'Root', parentId: null },
    { id: 4, name: 'Leaf', parentId: 1 },
  ])
  expect(place([['root', 4]]).placements).toEqual([{ id: 4, name: 'Root', parentId: null }])
})

test('keeps the parent when no ancestor is mapped or known', () => {
  expect(
    place([
      ['leaf', 4],
      ['lost', 2],
    ]).placements,
  ).toEqual([
    { id: 4, name: 'Leaf', parentId: 3 },
    { id: 2, name: 'Lost', parentId: null },
  ])
  expect(
    place([
      ['unknown', 1],
      ['root', 99],
    ]),
  ).toEqual({ placements: [], refused: 0 })
})

test('refuses a parent below the category itself', () => {
  // 4 stands below 3 and stays there; 3 would have to stand below 4.
  expect(
    place([
      ['middle', 4],
      ['leaf', 3],
    ]),
  ).toEqual({
    placements: [
      { id: 4, name: 'Middle', parentId: 3 },
      { id: 3, name: 'Leaf', parentId: null },
    ],
    refused: 1,
  })
  const circle = [
    { id: 'a', name: 'A', parentId: 'b' },
    { id: 'b', name: 'B', parentId: 'a' },
  ]
  const mappings = new Map([
    ['a', 1],
    ['b', 2],
  ])
  expect(
    placeMapped({ feed: circle, mappings, categories }).placements.filter(({ parentId }) => parentId !== null),
  ).toHaveLength(1)
})

test('returns a tree for any feed', () => {
  const size = 8
  const parents = fc.array(fc.option(fc.nat(size - 1)), { minLength: size, maxLength: size })
  const trees = parents.map((all) => all.map((parent, id) => (parent !== null && parent < id ? parent : null)))
  fc.assert(
    fc.property(parents, trees, fc.shuffledSubarray([...Array(size).keys()]), (above, tree, targets) => {
      const feedCategories = above.map((parent, id) => ({
        id: `${id}`,
        name: `${id}`,
        parentId: parent === null || parent === id ? null : `${parent}`,
      }))
      const ours = tree.map((parent, id) => ({ id: id + 1, parentId: parent === null ? null : parent + 1 }))
      const mappings = new Map(targets.map((target, index) => [`${index}`, target + 1]))
      const { placements } = placeMapped({ feed: feedCategories, mappings, categories: ours })
      const after = new Map(ours.map(({ id, parentId }) => [id, parentId]))
      for (const { id, parentId } of placements) after.set(id, parentId)
      for (const start of after.keys()) {
        let steps = 0
        for (let at = after.get(start) ?? null; at !== null; at = after.get(at) ?? null) {
          expect(++steps).toBeLessThanOrEqual(size)
        }
      }
    }),
    { numRuns: 500 },
  )
})
