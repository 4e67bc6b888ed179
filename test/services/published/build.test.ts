import { expect, test } from 'vitest'
import { laterThan } from '../../../src/services/published/build.ts'

const at = (ms: number) => new Date(Date.UTC(2026, 10, 1) + ms)

test.each([
  [undefined, 0, 0],
  [0, 5000, 5000],
  [0, 1000, 1000],
  // Last-Modified has whole seconds: a client would take the newer file for the one it has.
  [0, 999, 1000],
  [5000, 0, 6000],
  [3_599_000, 0, 3_600_000],
  // The clock was wrong and has been set right.
  [3_600_000, 0, 0],
])('a publication after one at %j, built at %j, is dated %j', (before, now, dated) => {
  expect(laterThan(before === undefined ? undefined : at(before), at(now))).toEqual(at(dated))
})
