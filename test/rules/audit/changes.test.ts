import { expect, test } from 'vitest'
import { auditedChange } from '../../../src/rules/audit/changes.ts'

test('of a change only the fields that differ are shown', () => {
  const before = { role: 'USER', phone: null, name: 'Анна' }
  expect(auditedChange(before, { ...before, role: 'ADMIN', reset: true })).toEqual({
    before: { role: 'USER', reset: null },
    after: { role: 'ADMIN', reset: true },
  })
  expect(auditedChange(before, { ...before })).toBeNull()
})

test('what was created or deleted is shown whole', () => {
  expect(auditedChange(null, { a: 1 })).toEqual({ before: null, after: { a: 1 } })
  expect(auditedChange({ a: 1 }, null)).toEqual({ before: { a: 1 }, after: null })
})
