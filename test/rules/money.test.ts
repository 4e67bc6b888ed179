import fc from 'fast-check'
import { expect, test } from 'vitest'
import { decimalOf } from '../../src/rules/money.ts'

test.each([
  [0, '0.00'],
  [5, '5.00'],
  [0.1, '0.10'],
  [1.005, '1.01'],
  [2.675, '2.68'],
  [1.004999, '1.00'],
  [0.004, '0.00'],
  [0.005, '0.01'],
  [1e-7, '0.00'],
  [451.5, '451.50'],
  [9_999_999_999.99, '9999999999.99'],
])('%d is %s', (value, text) => {
  expect(decimalOf(value)).toBe(text)
})

test.each([9_999_999_999.995, 10_000_000_000, 1e21, 5e101, Number.MAX_VALUE, Number.POSITIVE_INFINITY])(
  'rejects %d as beyond numeric(12,2)',
  (value) => {
    expect(decimalOf(value)).toBeNull()
  },
)

test('preserves amounts of whole hundredths', () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 999_999_999_999 }), (minor) => {
      const written = `${Math.floor(minor / 100)}.${String(minor % 100).padStart(2, '0')}`
      expect(decimalOf(Number(written))).toBe(written)
    }),
  )
})
