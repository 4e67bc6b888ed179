import { expect, test } from 'vitest'
import { priceOf } from '../../../src/rules/pipeline/offers.ts'

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
