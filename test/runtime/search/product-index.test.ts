import { beforeEach, expect, test, vi } from 'vitest'
import type { IndexedProductRow } from '../../../db/queries/catalogue/product-index.ts'
import { EVERY_ACTIVE, type ProductOrder } from '../../../src/rules/catalogue/product-filter.ts'
import { plainWord, readSearch } from '../../../src/rules/catalogue/search.ts'
import { createProductIndex, type ProductIndex } from '../../../src/runtime/search/product-index.ts'

let index: ProductIndex

function put(id: number, fields: Partial<IndexedProductRow> = {}): void {
  const nothing = { external_id: null, category_id: null, brand_id: null, attributes: [], sold: 0 }
  const product = {
    id,
    name: `product ${id}`,
    active: true,
    price: id,
    available: true,
    stock: id,
    created_at: id,
  }
  index.put([{ ...nothing, ...product, ...fields }], () => '')
}
const idsBy = (field: ProductOrder['field'], descending = false) =>
  index.find(EVERY_ACTIVE, { order: { field, descending }, page: 0, size: 10 }).ids

beforeEach(() => {
  index = createProductIndex()
  for (const id of [1, 2, 3]) put(id)
})

test.each([
  ['price', 'price'],
  ['stock', 'stock'],
  ['createdAt', 'created_at'],
] as const)('sorts by the current %s after each change', (order, column) => {
  expect([idsBy(order), idsBy(order, true)]).toEqual([
    [1, 2, 3],
    [3, 2, 1],
  ])
  put(1, { [column]: 9 })
  expect(idsBy(order)).toEqual([2, 3, 1])
  put(4, { [column]: 0 })
  expect(idsBy(order)).toEqual([4, 2, 3, 1])
  index.remove([2])
  expect(idsBy(order)).toEqual([4, 3, 1])
})

test('sorts a list anew only when what it is sorted by has changed', () => {
  idsBy('price')
  const sort = vi.spyOn(Array.prototype, 'sort')
  const sorts = () => sort.mock.contexts.filter((list) => Array.isArray(list) && list.length > 1).length
  put(1, { stock: 9, sold: 2, name: 'another' })
  index.remove([])
  idsBy('price')
  expect(sorts()).toBe(0)
  put(1, { price: 9 })
  idsBy('price')
  expect(sorts()).toBe(1)
  sort.mockRestore()
})

test('sorts by the ranks of names, with products that have none at the end', () => {
  index.rankNames([2, 9, 3, 1])
  expect([idsBy('name'), idsBy('name', true)]).toEqual([
    [2, 3, 1],
    [1, 3, 2],
  ])
  put(5)
  put(4)
  index.remove([3])
  expect([idsBy('name'), idsBy('name', true)]).toEqual([
    [2, 1, 4, 5],
    [1, 2, 5, 4],
  ])
})

test('raises the version of the names when a product is added or renamed', () => {
  const versions = [
    () => put(1, { stock: 7 }),
    () => index.remove([3]),
    () => put(1, { name: 'próduct 1' }),
    () => put(4),
  ].map((change) => {
    const before = index.namesVersion
    change()
    return index.namesVersion > before
  })
  expect(versions).toEqual([false, false, true, true])
})

test('removes the words of a removed product', () => {
  put(4, { name: 'rhubarb' })
  expect(index.words.isKnown('rhubarb')).toBe(true)
  index.remove([4])
  expect(index.words.isKnown('rhubarb')).toBe(false)
  expect(index.suggest([plainWord('rhu')], 5)).toEqual({ words: [], ids: [] })
})

test('lists by id whatever the order in which products were added', () => {
  for (let id = 2000; id > 10; id--) put(id)
  for (let id = 11; id <= 90; id++) index.remove([id])
  expect(idsBy('id')).toEqual([1, 2, 3, 91, 92, 93, 94, 95, 96, 97])
  expect(idsBy('id', true).slice(0, 2)).toEqual([2000, 1999])
  expect(idsBy('price', true).slice(0, 2)).toEqual([2000, 1999])
  expect(index.suggest([plainWord('product')], 4).ids).toEqual([1, 2, 3, 91])
})

test('lists best-selling matches first, equal ones by id, on every page', () => {
  const ids = Array.from({ length: 450 }, (_, n) => n + 1)
  const soldOf = (id: number) => (id * 7) % 13
  for (const id of ids) put(id, { sold: soldOf(id), name: 'same' })
  const expected = ids.toSorted((a, b) => soldOf(b) - soldOf(a) || a - b)
  for (const size of [20, 90]) {
    const listed: number[] = []
    for (let page = 0; page * size < ids.length; page++) {
      listed.push(...index.find(EVERY_ACTIVE, { order: 'match', page, size }).ids)
    }
    expect(listed).toEqual(expected)
  }
})

test('finds a product by its current external id only', () => {
  const find = (text: string) => {
    const filter = { ...EVERY_ACTIVE, tokens: readSearch(text) }
    return index.find(filter, { order: { field: 'id', descending: false }, page: 0, size: 10 }).ids
  }
  put(1, { external_id: 'CL-9' })
  expect(find('cl9')).toEqual([1])
  put(1, { external_id: 'CL-8' })
  expect([find('cl9'), find('cl8')]).toEqual([[], [1]])
  put(1)
  expect(find('cl8')).toEqual([])
})

test('answers the same whatever the order in which products were added, as instances differ in it', () => {
  const ids = Array.from({ length: 40 }, (_, n) => n + 1)
  const names = ['Насос дача', 'насос дачи', 'НАСОС дочь', 'насос дуча']
  const answers = [ids, ids.toReversed()].map((order) => {
    index = createProductIndex()
    for (const id of order) put(id, { name: names[id % 4], external_id: id % 20 === 0 ? `A-${'-'.repeat(id)}7` : null })
    index.remove([3])
    const filter = { ...EVERY_ACTIVE, tokens: readSearch('a7') }
    return {
      spellings: index.namesWith('насос', 10),
      similar: index.words.similarTo('даче'),
      exact: index.find(filter, { order: 'match', page: 0, size: 3 }).ids,
    }
  })
  expect(answers[1]).toEqual(answers[0])
  expect(answers[0]?.exact).toEqual([20, 40])
})
