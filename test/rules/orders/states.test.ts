import { expect, test } from 'vitest'
import { isOpen, missingQuantities, ORDER_STATUSES } from '../../../src/rules/orders/states.ts'
import { unavailable } from '../../../src/rules/stock/pricing.ts'

test('has NEW, PROCESSING and ERROR as open states', () => {
  expect(ORDER_STATUSES.filter(isOpen)).toEqual(['NEW', 'PROCESSING', 'ERROR'])
})

const line = (product_id: number | null, quantity: number, holding = false) => ({
  product_id,
  quantity,
  holding,
})

test('reports lines whose product lacks stock, except reserved ones', () => {
  const offers = new Map([1, 2, 3].map((id) => [id, { available_quantity: id - 2 }]))
  const lines = [line(3, 1), line(1, 1), line(2, 1, true), line(null, 1), line(2, 1), line(4, 1)]
  expect(missingQuantities(lines, offers, true)).toEqual([
    unavailable('items.1', 'OUT_OF_STOCK', 0),
    unavailable('items.3', 'NOT_FOUND', 0),
    unavailable('items.4', 'OUT_OF_STOCK', 0),
    unavailable('items.5', 'NOT_FOUND', 0),
  ])
})

test('compares the sum of lines of one product with its stock', () => {
  const offers = new Map([[1, { available_quantity: 4 }]])
  expect(missingQuantities([line(1, 2), line(1, 2)], offers, true)).toEqual([])
  expect(missingQuantities([line(1, 2), line(1, 3)], offers, true)).toEqual([
    unavailable('items.0', 'NOT_ENOUGH', 4),
    unavailable('items.1', 'NOT_ENOUGH', 4),
  ])
})

test('checks reserved lines of a closed order too, except those of deleted products', () => {
  const offers = new Map([
    [1, { available_quantity: -1 }],
    [2, { available_quantity: 0 }],
  ])
  const lines = [line(1, 2, true), line(1, 1), line(2, 3, true), line(null, 1, true), line(null, 1)]
  expect(missingQuantities(lines, offers, false)).toEqual([
    unavailable('items.0', 'NOT_ENOUGH', 1),
    unavailable('items.1', 'NOT_ENOUGH', 1),
    unavailable('items.4', 'NOT_FOUND', 0),
  ])
})
