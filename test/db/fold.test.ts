import fc from 'fast-check'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Database, openDatabase } from '../../db/database.ts'
import { attributeKey } from '../../src/rules/catalogue/attributes.ts'
import { fold } from '../../src/rules/fold.ts'
import { createTestDatabase } from '../support/database.ts'

let drop: () => Promise<void>
let database: Database

beforeAll(async () => {
  const created = await createTestDatabase()
  drop = created.drop
  database = openDatabase(created.url, () => {})
})
afterAll(async () => {
  await database.close()
  await drop()
})

/** The texts that the database's functions fold otherwise than those of the rules. */
async function different(texts: string[]) {
  const { rows } = await sql<{ text: string; folded: string; key: string }>`
    select text, fold(text) as folded, attribute_key(text) as key
    from unnest(${texts}::text[]) as given (text)`.execute(database.db)
  expect(rows).toHaveLength(texts.length)
  return rows
    .map((row) => ({ ...row, rules: [fold(row.text), attributeKey(row.text)] }))
    .filter(({ folded, key, rules }) => folded !== rules[0] || key !== rules[1])
}

const range = (from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, n) => String.fromCodePoint(from + n))

test('the database folds every character as the rules do', async () => {
  // Of these letters old versions of ICU don't know the case.
  const isNew = (character: string) => /[\u1c89-\u1cbf\u2c2f\ua7b8-\ua7f5]/.test(character)
  const basic = [...range(1, 0xd7ff), ...range(0xe000, 0xffff)].filter((character) => !isNew(character))
  const further = [...range(0x10d6e, 0x10eff), ...range(0x1bca0, 0x1bca3), ...range(0x1d100, 0x1d7ff)]
  expect(await different([...basic, ...further, ...range(0xe0000, 0xe1000)])).toEqual([])
  expect(await different(range(1, 0x600).map((one) => `4${one}5 и${one} Й${one}X1`))).toEqual([])
})

test('the database folds any text as the rules do', async () => {
  const piece = fc.constantFrom(
    ...[...'аАмМхХёЁйЙxX15 ,.*×-–‑_/№'],
    ...['\u00AD', '\u200B', '\u0306', '\u0301', '\u00A0', '\n', 'ﬁ', 'ß', 'Σ', 'İ', '８', '，'],
  )
  const texts = fc.sample(fc.string({ unit: piece, maxLength: 12 }), 5000)
  expect(await different(texts)).toEqual([])
})
