import { beforeEach, expect, test } from 'vitest'
import { EVERY_ACTIVE_INDEXED } from '../../../src/runtime/search/column-store.ts'
import {
  createProductColumns,
  type IndexedProduct,
  type ProductColumns,
} from '../../../src/runtime/search/product-columns.ts'
import type { IndexOrder } from '../../../src/runtime/search/sort-orders.ts'

// What is kept of an order, and what a change of a product makes of it.
let products: ProductColumns

function put(id: number, fields: Partial<IndexedProduct> = {}): void {
  const nothing = { categoryId: null, brandId: null, attributes: [], sold: 0 }
  const product = {
    id,
    name: `Product ${id}`,
    active: true,
    price: id,
    available: true,
    stock: id,
    createdAt: id,
  }
  products.put([{ ...nothing, ...product, ...fields }], () => '')
}
const idsBy = (order: IndexOrder, descending = false) =>
  products.find(EVERY_ACTIVE_INDEXED, { order, descending, offset: 0, size: 10 }).ids

beforeEach(() => {
  products = createProductColumns()
  for (const id of [1, 2, 3]) put(id)
})

test.each(['price', 'stock', 'createdAt'] as const)(
  '%s: an order that was asked for is that of the newest figures',
  (order) => {
    expect([idsBy(order), idsBy(order, true)]).toEqual([
      [1, 2, 3],
      [3, 2, 1],
    ])
    put(1, { [order]: 9 })
    expect(idsBy(order)).toEqual([2, 3, 1])
    put(4, { [order]: 0 })
    expect(idsBy(order)).toEqual([4, 2, 3, 1])
    products.remove([2])
    expect(idsBy(order)).toEqual([4, 3, 1])
  },
)

test('the order of the names is known until one comes, goes or changes, also while it is being read', async () => {
  await products.learnNames(async () => [2, 3, 1])
  expect([products.knowsNames, idsBy('name')]).toEqual([true, [2, 3, 1]])
  products.remove([3])
  expect([products.knowsNames, idsBy('name')]).toEqual([true, [2, 1]])
  put(1, { stock: 7 })
  expect(products.knowsNames).toBe(true)
  put(1, { name: 'Another' })
  expect(products.knowsNames).toBe(false)
  await products.learnNames(async () => {
    put(2, { name: 'A third' })
    return [2, 1]
  })
  expect(products.knowsNames).toBe(false)
})

test('what is gone is gone with its words', () => {
  put(4, { name: 'Rhubarb' })
  expect(products.words.isKnown('rhubarb', '')).toBe(true)
  products.remove([4])
  expect(products.words.isKnown('rhubarb', '')).toBe(false)
  expect(products.suggest(['rhu'], 5)).toEqual([])
})

test('half of the products may go, and ids may come in any order', () => {
  for (let id = 100; id > 10; id--) put(id)
  for (let id = 11; id <= 90; id++) products.remove([id])
  expect(idsBy('id')).toEqual([1, 2, 3, 91, 92, 93, 94, 95, 96, 97])
  expect(idsBy('price', true)).toEqual([100, 99, 98, 97, 96, 95, 94, 93, 92, 91])
})

test('ids between two are those above the one, up to the other, without what is gone', () => {
  for (const id of [500, 200, 900, 700, 300]) put(id)
  products.remove([700])
  expect(products.idsBetween(200, 900)).toEqual([300, 500, 900])
  expect(products.idsBetween(100, 200)).toEqual([200])
  expect(products.idsBetween(200, 300)).toEqual([300])
})
