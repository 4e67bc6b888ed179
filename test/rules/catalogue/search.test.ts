import fc from 'fast-check'
import { expect, test } from 'vitest'
import { readSearch, wordsOfName } from '../../../src/rules/catalogue/search.ts'
import { anyCharacter } from '../../support/characters.ts'

const plain = (...texts: string[]) => texts.map((text) => ({ text, literal: false, parts: expect.any(Array) }))
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
  ['1,5Л', ['1.5л']],
  ['М8 × 40', ['m8x40']],
  ['дрель — 18в', ['дрель', '18b']],
  ['a b c d e f g h i j k l', [...'abcdefghij']],
])('searches %j as %j', (text, words) => {
  expect(wordsOf(text)).toEqual(plain(...words))
})

test('searches a sign that counts literally, and the words around it', () => {
  const literal = (text: string) => ({ text, literal: true, parts: [] })
  expect(wordsOf('100%')).toEqual([...plain('100'), literal('100%')])
  expect(wordsOf('%')).toEqual([literal('%')])
  expect(wordsOf('a%a')).toEqual([...plain('a'), literal('a%a')])
  expect(wordsOf('a_b')).toEqual([...plain('a', 'b'), literal('a_b')])
  for (const signs of ['!!!', '---', '...', ' ! ? ']) expect(wordsOf(signs)).toEqual([literal(signs.trim())])
})

test.each([
  ['веб-камера', ['веб', 'камера']],
  ['0,5л', ['0.5', 'л']],
  ['18в', ['18', 'в']],
  ["o'neil", ['o', 'neil']],
  ['12.34.56', ['12', '34', '56']],
  ['вебкамера', []],
  ['tk510k', []],
  ['m8x40', []],
])('%j may stand in a name as %j', (text, parts) => {
  expect(wordsOf(text).flatMap((word) => word.parts.map((part) => part.text))).toEqual(parts)
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
  ['Тонер TK-510K, чёрный', ['тонер', 'tk', '510k', 'tk510k', '510', 'k', 'черный']],
  ['C224/284/364e «Ultra»', ['c224', '284', '364e', '364', 'e', 'ultra']],
  ["O'Neil 1,5л", ['o', 'neil', 'oneil', '1.5л', '1.5', 'л']],
  ['Болт М8 × 40', ['болт', 'м8x40', 'м8', '40', 'm8x40', 'm8']],
  ['МФУ5', ['мфу5', 'mфy5']],
  ['192.168.0.1', ['192', '168', '0', '1', '19216801']],
  ['- дрель -', ['дрель']],
])('splits %j into %j', (name, words) => {
  expect(wordsOfName(name)).toEqual(words)
})
