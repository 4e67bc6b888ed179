import { expect, test } from 'vitest'
import { faultsOf } from '../../../src/errors.ts'
import { mergeLines, priceLines, sumOfLines } from '../../../src/rules/orders/lines.ts'
import { unavailable } from '../../../src/rules/stock/pricing.ts'
import { refusalOf } from '../../support/refusal.ts'

test('sums lines of one product at the index of the first', () => {
  const items = [
    { productId: 7, quantity: 1 },
    { productId: 3, quantity: 2 },
    { productId: 7, quantity: 4 },
  ]
  expect(mergeLines(items)).toEqual([
    { productId: 7, quantity: 5, index: 0 },
    { productId: 3, quantity: 2, index: 1 },
  ])
})

const offer = {
  id: 1,
  external_id: 'a',
  name: 'Lamp',
  active: true,
  final_price: '0.10',
  available_quantity: 2,
}

const staff = { backorder: false, max: 9999 }

test.each([
  [[5000, 5000], 9999, 9999],
  [[11, 10], 20, 20],
  [[21], 20, 20],
  [[20], 20, null],
  [[10, 10], 20, null],
])('pieces %j of a product with at most %i: %j can be had', (quantities, max, available) => {
  const lines = mergeLines(quantities.map((quantity) => ({ productId: 1, quantity })))
  const offers = new Map([[1, { ...offer, available_quantity: 20_000 }]])
  const faults = available === null ? [] : [unavailable('items.0', 'INVALID_QUANTITY', available)]
  for (const backorder of [false, true]) {
    expect(faultsOf(() => priceLines(lines, offers, { backorder, max }))).toEqual(faults)
  }
})

test('prices lines with the current name and price', () => {
  const lines = [{ productId: 1, quantity: 2, index: 0 }]
  expect(priceLines(lines, new Map([[1, offer]]), staff)).toEqual([
    {
      product_id: 1,
      product_external_id: 'a',
      product_name: 'Lamp',
      price_at_order: '0.10',
      quantity: 2,
    },
  ])
})

test('lets only backorders exceed the stock, and hides the quantity of inactive products', () => {
  const lines = [{ productId: 1, quantity: 3, index: 4 }]
  const faults = (input: Partial<typeof offer>, backorder: boolean) =>
    faultsOf(() => priceLines(lines, new Map([[1, { ...offer, ...input }]]), { ...staff, backorder }))
  expect(faults({}, false)).toEqual([unavailable('items.4', 'NOT_ENOUGH', 2)])
  expect(faults({}, true)).toEqual([])
  expect(faults({ active: false }, true)).toEqual([unavailable('items.4', 'NOT_FOUND', 0)])
  expect(faults({ available_quantity: -3 }, false)).toEqual([unavailable('items.4', 'OUT_OF_STOCK', 0)])
})

test('reports every unavailable line with its path', () => {
  const lines = [1, 2, 3].map((productId, index) => ({ productId, quantity: 3, index }))
  const offers = new Map([[2, { ...offer, id: 2, available_quantity: 3 }]])
  const paths = (pathOf?: () => string) => refusalOf(() => priceLines(lines, offers, staff, pathOf))?.paths
  expect(paths()).toEqual(['items.0', 'items.2'])
  expect(paths(() => 'productId')).toEqual(['productId', 'productId'])
})

test('sums exactly', () => {
  expect(
    sumOfLines([
      { price_at_order: '0.10', quantity: 3 },
      { price_at_order: '9999999999.99', quantity: 9999 },
    ]),
  ).toBe(30n + 999_999_999_999n * 9999n)
})
