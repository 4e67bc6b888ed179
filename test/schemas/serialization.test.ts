import { Type } from '@sinclair/typebox'
import { expect, test } from 'vitest'
import { NamedObject, Nullable, ref } from '../../src/schemas/common.ts'
import { serialize } from '../../src/schemas/serialization.ts'

const Line = NamedObject('SerializedLine', 'A line', { total: Type.Number() })
const Invoice = NamedObject('SerializedInvoice', 'An invoice', {
  id: Type.Integer(),
  paidAt: Nullable(Type.String()),
  note: Type.Optional(Type.String()),
  lines: Type.Array(ref(Line)),
})

test('writes declared members alone, at any depth', () => {
  const row = { id: 7, paidAt: null, passwordHash: 'secret', lines: [{ total: 1234567890.1, cost: 5 }] }
  expect(serialize(Invoice, row)).toBe('{"id":7,"paidAt":null,"lines":[{"total":1234567890.1}]}')
})

test('fails rather than leave a required member out', () => {
  const incomplete: object = { id: 7, lines: [] }
  expect(() => Reflect.apply(serialize, undefined, [Invoice, incomplete])).toThrow('paidAt')
})
