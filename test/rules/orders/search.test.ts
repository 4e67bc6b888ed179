import { expect, test } from 'vitest'
import { searchTexts } from '../../../src/rules/orders/search.ts'

test.each([
  ['', []],
  ['   ', []],
  [' Семён Ёлкин ', ['семен елкин']],
  ['+7 (900) 12-3', ['+7 (900) 12-3', '7900123']],
  ['000123', ['000123']],
  ['1-2', ['1-2']],
  ['дом 12345', ['дом 12345']],
  ['100%_', ['100%_']],
])('"%s" looks for %j', (text, texts) => {
  expect(searchTexts(text)).toEqual(texts)
})
