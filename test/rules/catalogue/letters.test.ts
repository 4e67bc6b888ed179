import { expect, test } from 'vitest'
import { numbersOf, otherLayout, soundAlike, soundOf } from '../../../src/rules/catalogue/letters.ts'

test('maps the keys of either layout to the other', () => {
  expect(otherLayout('rfhnhbl;')).toBe('картридж')
  expect(otherLayout('Rfhnhbl:')).toBe('картридж')
  expect(otherLayout('ыфьыгтп')).toBe('samsung')
  expect(otherLayout('`krf 42')).toBe('ёлка 42')
  expect(otherLayout('cjr.0.5k')).toBe('сокю0.5л')
})

test.each([
  ['', ''],
  ['tk-510k', '510'],
  ['2.5мм', '2.5'],
  ['m8x2.5x40', '8 2.5 40'],
])('reads the numbers of %j: %j', (word, numbers) => {
  expect(numbersOf(word)).toBe(numbers)
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
