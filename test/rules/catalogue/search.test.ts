import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  combineCandidates,
  errorsAllowed,
  normalise,
  otherLayout,
  readSearch,
  soundAlike,
  soundOf,
  typingErrors,
  wordsOfName,
} from '../../../src/rules/catalogue/search.ts'
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

test('reads the beginning of a long text, up to the end of a word', () => {
  expect(wordsOf(`картридж${' '.repeat(85)}принтер`)).toEqual(plain('картридж', 'принтер'))
  expect(wordsOf(`картридж${' '.repeat(86)}принтер`)).toEqual(plain('картридж'))
  expect(wordsOf('x'.repeat(700))).toEqual(plain('x'.repeat(100)))
})

test('maps the keys of either layout to the other', () => {
  expect(otherLayout('rfhnhbl;')).toBe('картридж')
  expect(otherLayout('Rfhnhbl:')).toBe('картридж')
  expect(otherLayout('ыфьыгтп')).toBe('samsung')
  expect(otherLayout('`krf 42')).toBe('ёлка 42')
})

test.each([
  ['дом', 1],
  ['до', 0],
  ['картридж', 2],
  ['принтер', 1],
  ['12345', 0],
  ['tk510k900', 1],
  ['🙂🙂🙂', 0],
])('allows %s %i typing errors', (word, errors) => {
  expect(errorsAllowed(word)).toBe(errors)
})

test.each([
  ['перфоратор', 'перфаратор', 1],
  ['перфоратор', 'перфоратро', 1],
  ['перфоратор', 'перфоратр', 1],
  ['перфоратор', 'перффоратор', 1],
  ['перфоратор', 'регистратор', 5],
  ['', 'abc', 3],
  ['ca', 'abc', 3],
])('counts between %s and %s %i typing errors', (a, b, errors) => {
  expect(typingErrors(a, b)).toBe(errors)
  expect(typingErrors(b, a)).toBe(errors)
})

test('counts a swap of neighbouring letters as one typing error', () => {
  fc.assert(
    fc.property(fc.string({ minLength: 2, maxLength: 12 }), fc.nat(10), (word, at) => {
      const index = at % (word.length - 1)
      const swapped = word.slice(0, index) + word[index + 1] + word[index] + word.slice(index + 2)
      expect(typingErrors(word, swapped)).toBe(word === swapped ? 0 : 1)
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

test.each([
  ['самсунг', 'samsung'],
  ['логитек', 'logitech'],
  ['картридж', 'kartridzh'],
  ['шнайдер', 'shnaider'],
  ['кабель', 'cabel'],
])('%s sounds like %s', (a, b) => {
  expect(soundOf(a)).toBe(soundOf(b))
  expect(soundOf(a)).not.toBe(soundOf(`${a}о`))
})

test.each([
  ['kit', 'kit', true],
  ['kit', 'kat', false],
  ['kosa', 'kasa', true],
  ['kosa', 'kos', false],
  ['kosal', 'kosl', true],
  ['kosa', 'kota', false],
  ['kosa', 'kasi', false],
  ['kenon', 'kanon', true],
  ['kanon', 'kason', true],
  ['kanon', 'kan', false],
])('says whether %s and %s may be the same word: %s', (a, b, may) => {
  expect(soundAlike(a, b)).toBe(may)
  expect(soundAlike(b, a)).toBe(may)
})

test('combines the cheapest candidates first, then those of more frequent words', () => {
  const one = (text: string, cost: number, known = 1) => ({ words: plain(text), cost, known })
  const combined = combineCandidates(
    [
      [one('a', 0), one('b', 10, 5), one('c', 10, 7)],
      [one('x', 0), one('y', 11)],
    ],
    4,
  )
  expect(combined).toEqual([
    { words: plain('a', 'x'), cost: 0, known: 1 },
    { words: plain('c', 'x'), cost: 10, known: 1 },
    { words: plain('b', 'x'), cost: 10, known: 1 },
    { words: plain('a', 'y'), cost: 11, known: 1 },
  ])
})

test('ignores case, accents and Unicode form', () => {
  expect(normalise('ЁЖ Café ÅNGSTRÖM'.normalize('NFD'))).toBe('еж cafe angstrom')
  expect(normalise('Йод')).toBe('йод')
})
