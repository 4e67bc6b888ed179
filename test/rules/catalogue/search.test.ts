import fc from 'fast-check'
import { expect, test } from 'vitest'
import { readSearch, wordsOfName } from '../../../src/rules/catalogue/search.ts'
import { anyCharacter } from '../../support/characters.ts'

const plain = (...texts: string[]) => texts.map((text) => ({ text, literal: false }))
const wordsOf = (text: string) => readSearch(text).flatMap(({ words }) => words)

test.each([
  ['', []],
  [' \t\n ', []],
  ['Ёлка  ЗЕЛЁНАЯ', ['елка', 'зеленая']],
  ['ёлка'.normalize('NFD'), ['елка']],
  ['Йогурт café', ['йогурт', 'cafe']],
  ['hp HP hp', ['hp']],
  ['TK-510K', ['tk510k']],
  ['C224/284, «Ultra»', ['c224', '284', 'ultra']],
  ['1.5л', ['15л']],
  ['a b c d e f g h i j k l', [...'abcdefghij']],
])('searches %j as %j', (text, words) => {
  expect(wordsOf(text)).toEqual(plain(...words))
})

test('searches a sign that counts literally, and the words around it', () => {
  expect(wordsOf('100%')).toEqual([...plain('100'), { text: '100%', literal: true }])
  expect(wordsOf('%')).toEqual([{ text: '%', literal: true }])
  expect(wordsOf('a%a')).toEqual([...plain('a'), { text: 'a%a', literal: true }])
  expect(wordsOf('a_b')).toEqual([...plain('a', 'b'), { text: 'a_b', literal: true }])
})

test('reads at most ten distinct words of any search', () => {
  fc.assert(
    fc.property(fc.string({ unit: anyCharacter, maxLength: 200 }), (text) => {
      const words = wordsOf(text).map((word) => word.text)
      expect(words.length).toBeLessThanOrEqual(10)
      expect(new Set(words).size).toBe(words.length)
      expect(words).not.toContain('')
    }),
  )
})

test.each([
  ['', []],
  ['Тонер TK-510K, чёрный', ['тонер', 'tk', '510k', 'черный', 'tk510k']],
  ['C224/284/364e «Ultra»', ['c224', '284', '364e', 'ultra']],
  ["O'Neil 1.5л", ['o', 'neil', '1', '5л', 'oneil', '15л']],
  ['- дрель -', ['дрель']],
])('splits %j into %j', (name, words) => {
  expect(wordsOfName(name)).toEqual(words)
})
