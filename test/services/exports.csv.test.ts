import { parse } from 'csv-parse/sync'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { toCsv } from '../../src/services/exports.ts'

test('writes lines as spreadsheets and RFC 4180 expect them', () => {
  const line = ['a;b', 'say "hi"', 'two\nlines', 5, 4554.99, true, null, undefined, '']
  expect(toCsv([line], ';', true)).toBe('\uFEFF"a;b";"say ""hi""";"two\nlines";5;4554.99;true;;;\r\n')
  expect(toCsv([['a;b', 'c,d']], ',')).toBe('a;b,"c,d"\r\n')
  expect(toCsv([['\r']], ';')).toBe(`"'\r"\r\n`)
})

test.each(['=1+1', '+7 900', '-1', '@SUM(A1)', '\tx'])('keeps %j text', (text) => {
  expect(toCsv([[text, -1]], ';')).toBe(`'${text};-1\r\n`)
})

test.each([';=1+1', ',+7', 'a\t-1', 'a\r=1', 'a\n@SUM(A1)'])(
  'keeps the parts of %j text under any delimiter',
  (text) => {
    const kept = text.replace(/[;,\t\r\n]/, "$&'")
    for (const delimiter of [';', ','] as const)
      expect(parse(toCsv([[text]], delimiter), { delimiter, record_delimiter: '\r\n' })).toEqual([[kept]])
  },
)

test('any text comes back from a CSV library, with an apostrophe before formulas', () => {
  const cell = fc.string({ unit: fc.constantFrom(...'=+-@;,"\'\r\n\t x€Ё') })
  const lines = fc.array(fc.array(cell, { minLength: 2, maxLength: 2 }), { minLength: 1 })
  fc.assert(
    fc.property(lines, fc.constantFrom(';' as const, ',' as const), (written, delimiter) => {
      const read = parse(toCsv(written, delimiter, true), { delimiter, bom: true, record_delimiter: '\r\n' })
      const escaped = (text: string) => text.replace(/(?<=^|[;,\t\r\n])(?=[=+\-@\t\r])/g, "'")
      expect(read).toEqual(written.map((line) => line.map(escaped)))
    }),
  )
})
