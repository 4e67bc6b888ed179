import { expect, test } from 'vitest'
import { refuseStale } from '../../src/rules/versions.ts'

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
])('If-Match %j for version 3: stale is %j', async (header, isStale) => {
  const current = { name: 'now' }
  const refusal = await refuseStale(header, 3, () => current).then(
    () => null,
    (error: unknown) => error,
  )
  if (isStale) expect(refusal).toMatchObject({ status: 412, code: 'STALE', extras: { body: { current } } })
  else expect(refusal).toBeNull()
})
