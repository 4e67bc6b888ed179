import { expect, test } from 'vitest'
import { isAvailable, unavailable, whyUnavailable } from '../../../src/rules/stock/pricing.ts'

const offer = { active: true, finalPrice: '10.00', availableQuantity: 3 }

test.each([
  ['all there is', offer, 3, null],
  ['one more than there is', offer, 4, 'NOT_ENOUGH'],
  ['from nothing', { ...offer, availableQuantity: 0 }, 1, 'OUT_OF_STOCK'],
  ['more promised than there is', { ...offer, availableQuantity: -2 }, 1, 'OUT_OF_STOCK'],
  ['without a price', { ...offer, finalPrice: null }, 1, 'NO_PRICE'],
  ['at nought', { ...offer, finalPrice: '0.00' }, 1, 'NO_PRICE'],
  ['at a hundredth', { ...offer, finalPrice: '0.01' }, 1, null],
  ['inactive', { ...offer, active: false }, 1, 'NOT_FOUND'],
  ['unknown', undefined, 1, 'NOT_FOUND'],
])('buying %s', (_case, given, quantity, reason) => {
  expect(whyUnavailable(given, quantity, false)).toBe(reason)
})

test('backorder lifts the limit of the stock, and no other', () => {
  expect(whyUnavailable({ ...offer, availableQuantity: 0 }, 9999, true)).toBeNull()
  expect(whyUnavailable({ ...offer, finalPrice: null }, 1, true)).toBe('NO_PRICE')
  expect(whyUnavailable({ ...offer, active: false }, 1, true)).toBe('NOT_FOUND')
  expect(isAvailable({ ...offer, availableQuantity: 0 })).toBe(false)
})

test('less than nothing is not shown', () => {
  expect(unavailable('items.2', 'OUT_OF_STOCK', -5)).toEqual({
    path: 'items.2',
    message: 'OUT_OF_STOCK: 0 available',
    reason: 'OUT_OF_STOCK',
    availableQuantity: 0,
  })
})
