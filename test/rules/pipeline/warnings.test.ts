import { expect, test } from 'vitest'
import { matchWarnings } from '../../../src/rules/pipeline/warnings.ts'

test.each([
  [1984, 0, ["Only 0 of 1984 offers belong to products of the shop: check the feed's ids"]],
  [100, 9, ["Only 9 of 100 offers belong to products of the shop: check the feed's ids"]],
  [100, 10, []],
  [1, 1, []],
  [0, 0, []],
  [undefined, undefined, []],
  [100, undefined, []],
])('of %j offers %j match', (offers, matched, warnings) => {
  expect(matchWarnings(offers, matched)).toEqual(warnings)
})
