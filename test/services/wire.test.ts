import { Type } from '@sinclair/typebox'
import { expect, test } from 'vitest'
import { Nullable } from '../../src/schemas/common.ts'
import { toColumns, toWire } from '../../src/services/wire.ts'

const Shown = Type.Object({
  id: Type.Integer(),
  lineTotal: Type.Number(),
  oldPrice: Nullable(Type.Number()),
  code: Type.String(),
  soldAt: Nullable(Type.String()),
  adminNote: Type.Optional(Nullable(Type.String())),
})
const row = {
  id: 7,
  line_total: '1234567890.10',
  old_price: null,
  code: '0012',
  sold_at: new Date('2026-11-23T10:00:00.123Z'),
  admin_note: 'secret',
  password_hash: 'never shown',
}

test('shows the members of the schema alone: times as ISO 8601, amounts as numbers, text as it is', () => {
  expect(toWire(Shown, row, true)).toEqual({
    id: 7,
    lineTotal: 1234567890.1,
    oldPrice: null,
    code: '0012',
    soldAt: '2026-11-23T10:00:00.123Z',
    adminNote: 'secret',
  })
})

test('leaves optional members out unless staff are told', () => {
  expect(Object.keys(toWire(Shown, row))).toEqual(['id', 'lineTotal', 'oldPrice', 'code', 'soldAt'])
  expect(toWire(Shown, { ...row, sold_at: null }).soldAt).toBeNull()
})

test('reads the columns that the schema names: texts trimmed or null, absent members undefined', () => {
  const input = {
    id: 7,
    lineTotal: 1.5,
    oldPrice: null,
    code: ' 0012 ',
    soldAt: '\n',
    passwordHash: 'never set',
  }
  expect(toColumns(Shown, input)).toStrictEqual({
    id: 7,
    line_total: 1.5,
    old_price: null,
    code: '0012',
    sold_at: null,
    admin_note: undefined,
  })
})
