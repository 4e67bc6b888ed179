import { expect, test } from 'vitest'
import { isStale } from '../../src/rules/versions.ts'

test.each([
  [undefined, false],
  ['*', false],
  [' "3" ', false],
  ['"2", "3"', false],
  ['"2","4"', true],
  ['"30"', true],
  // Quotes are forgotten easily, and "the record has changed" would mislead.
  ['3', false],
  ['2', true],
  // Weak tags never match.
  ['W/"3"', true],
  ['', true],
])('If-Match %j for version 3: stale is %j', (header, stale) => {
  expect(isStale(header, 3)).toBe(stale)
})
