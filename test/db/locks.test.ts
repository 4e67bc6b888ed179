import { expect, test } from 'vitest'
import { LOCKS } from '../../db/locks.ts'

test('keys are unique', () => {
  const keys = Object.values(LOCKS)
  expect(new Set(keys).size).toBe(keys.length)
})
