import { expect, test } from 'vitest'
import { auditedChange } from '../../../src/rules/audit/changes.ts'

type Fields = { [field: string]: unknown }

const change = (before: Fields | null, after: Fields | null) =>
  auditedChange({ actor: null, entity: 'USER', entityId: 7, before, after })

test('reduces an update to the fields that differ', () => {
  const before = { role: 'USER', phone: null, name: 'Анна' }
  expect(change(before, { ...before, role: 'ADMIN', reset: true })).toMatchObject({
    action: 'UPDATE',
    before: { role: 'USER', reset: null },
    after: { role: 'ADMIN', reset: true },
  })
  expect(change(before, { ...before })).toBeNull()
})

test('compares arrays and objects by value', () => {
  const before = { tags: [1, 2], doc: { blocks: [{ text: 'a' }] } }
  expect(change(before, structuredClone(before))).toBeNull()
  expect(change(before, { tags: [2, 1], doc: { blocks: [{ text: 'a' }] } })).toMatchObject({
    before: { tags: [1, 2] },
    after: { tags: [2, 1] },
  })
  expect(change(before, { tags: [1, 2], doc: { blocks: [{ text: 'b' }] } })?.after).toEqual({
    doc: { blocks: [{ text: 'b' }] },
  })
})

test('keeps all fields of a created or deleted record', () => {
  expect(change(null, { a: 1 })).toMatchObject({ action: 'CREATE', before: null, after: { a: 1 } })
  expect(change({ a: 1 }, null)).toMatchObject({ action: 'DELETE', before: { a: 1 }, after: null })
})

test('leaves out version and times, but for the creation of a deleted record', () => {
  const record = { a: 1, version: 3, createdAt: '2001-01-01T00:00:00.000Z', updatedAt: '2002-01-01T00:00:00.000Z' }
  expect(change(null, record)?.after).toEqual({ a: 1 })
  expect(change(record, { ...record, version: 4, updatedAt: null })).toBeNull()
  expect(change(record, null)?.before).toEqual({ a: 1, createdAt: record.createdAt })
})
