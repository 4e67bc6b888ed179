import fc from 'fast-check'
import { expect, test } from 'vitest'
import { decimalOf, priceOf } from '../../src/rules/money.ts'

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

test.each([
  ['4554.99', 4554.99],
  ['10', 10],
  ['0', 0],
  ['1 290,50', 1290.5],
  ['1\u00a0290', 1290],
  ['0.125', 0.13],
  ['9999999999.99', 9_999_999_999.99],
  ['10000000000', null],
  ['from 10', null],
  ['-1', null],
  ['1e3', null],
  ['1,290.50', null],
  ['', null],
  [null, null],
])('reads the price %j as %j', (text, price) => {
  expect(priceOf(text)).toBe(price)
})
