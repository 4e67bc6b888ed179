import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  arrangeCategories,
  type CategoryRecord,
  pathsOf,
  subtreeOf,
} from '../../../src/rules/catalogue/category-tree.ts'
import { idsOfUnused } from '../../../src/rules/catalogue/category-visibility.ts'

const SIZE = 8
const id = fc.integer({ min: 1, max: SIZE })
const ids = fc.uniqueArray(id)
/** Any parents, unknown ones and cycles included. */
const rows: fc.Arbitrary<CategoryRecord[]> = fc
  .array(fc.record({ parent: fc.option(id), enabled: fc.boolean(), hidden: fc.boolean() }), {
    minLength: SIZE,
    maxLength: SIZE,
  })
  .map((all) =>
    all.map(({ parent, enabled, hidden }, index) => ({
      id: index + 1,
      name: `Category ${index + 1}`,
      parent_id: parent,
      parent_external_id: null,
      enabled,
      auto_hidden_by_visibility_sync: hidden,
      display_order: 0,
    })),
  )

test('lists categories without a product in their subtree', () => {
  fc.assert(
    fc.property(rows, ids, (categories, filled) => {
      const tree = arrangeCategories(categories)
      const unused = idsOfUnused(tree, new Map(filled.map((one) => [one, 3])))
      const expected = [...tree.byId.values()].filter((node) =>
        subtreeOf(node).every(({ row }) => !filled.includes(row.id)),
      )
      expect([...unused].toSorted()).toEqual(expected.map(({ row }) => row.id).toSorted())
    }),
  )
})

test('joins the names of a path from the top down and truncates it', () => {
  const chain = Array.from({ length: 300 }, (_, index) => ({
    id: index + 1,
    name: `Имя 😀${index}`,
    parent_id: index === 0 ? null : index,
    parent_external_id: null,
    enabled: true,
    auto_hidden_by_visibility_sync: false,
    display_order: 0,
  }))
  const paths = pathsOf(arrangeCategories(chain))
  expect(paths.get(3)).toBe('Имя 😀0 / Имя 😀1 / Имя 😀2')
  expect([...paths.values()].every((path) => path.length <= 1000 && path.isWellFormed())).toBe(true)
  expect(paths.get(300)?.length).toBeGreaterThan(990)
})
