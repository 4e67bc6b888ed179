import { expect, test } from 'vitest'
import { mayBeMisspelt, searchWords } from '../../../src/rules/catalogue/search.ts'

test.each([
  ['', []],
  [' \t\n ', []],
  ['Ёлка  ЗЕЛЁНАЯ', ['елка', 'зеленая']],
  ['ёлка'.normalize('NFD'), ['елка']],
  ['100%_\\', ['100%_\\']],
  ['hp HP hp', ['hp']],
])('%j is looked for as %j', (text, words) => {
  expect(searchWords(text)).toEqual(words)
})

test('words of less than four characters are never taken for misspelt ones', () => {
  expect(['дом', 'дома', '🙂🙂', '🙂🙂🙂🙂'].map(mayBeMisspelt)).toEqual([false, true, false, true])
})
