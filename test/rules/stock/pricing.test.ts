import { expect, test } from 'vitest'
import { isAvailable, unavailable, whyUnavailable } from '../../../src/rules/stock/pricing.ts'

const offer = { active: true, final_price: '10.00', available_quantity: 3 }

test.each([
  ['the whole stock', offer, 3, null],
  ['more than the stock', offer, 4, 'NOT_ENOUGH'],
  ['without stock', { ...offer, available_quantity: 0 }, 1, 'OUT_OF_STOCK'],
  ['after backorders', { ...offer, available_quantity: -2 }, 1, 'OUT_OF_STOCK'],
  ['without a price', { ...offer, final_price: null }, 1, 'NO_PRICE'],
  ['at zero', { ...offer, final_price: '0.00' }, 1, 'NO_PRICE'],
  ['at 0.01', { ...offer, final_price: '0.01' }, 1, null],
  ['inactive', { ...offer, active: false }, 1, 'NOT_FOUND'],
  ['unknown', undefined, 1, 'NOT_FOUND'],
])('finds the reason for an order: %s', (_case, given, quantity, reason) => {
  expect(whyUnavailable(given, quantity, false)).toBe(reason)
})

test('lets backorders exceed the stock, nothing else', () => {
  expect(whyUnavailable({ ...offer, available_quantity: 0 }, 9999, true)).toBeNull()
  expect(whyUnavailable({ ...offer, final_price: null }, 1, true)).toBe('NO_PRICE')
  expect(whyUnavailable({ ...offer, active: false }, 1, true)).toBe('NOT_FOUND')
  expect(isAvailable({ ...offer, available_quantity: 0 })).toBe(false)
})

test('shows a negative quantity as zero', () => {
  expect(unavailable('items.2', 'OUT_OF_STOCK', -5)).toEqual({
    path: 'items.2',
    code: 'OUT_OF_STOCK',
    params: { availableQuantity: 0 },
  })
})
