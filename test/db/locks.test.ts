import { expect, test } from 'vitest'
import { LOCKS } from '../../db/locks.ts'

test('no two locks have the same key', () => {
  const keys = Object.values(LOCKS)
  expect(new Set(keys).size).toBe(keys.length)
})
