import { expect, test } from 'vitest'
import { normalise, otherLayout, soundAlike, soundOf } from '../../../src/rules/catalogue/letters.ts'

test('ignores case, accents and Unicode form', () => {
  expect(normalise('ЁЖ Café ÅNGSTRÖM'.normalize('NFD'))).toBe('еж cafe angstrom')
  expect(normalise('Йод')).toBe('йод')
})

test('maps the keys of either layout to the other', () => {
  expect(otherLayout('rfhnhbl;')).toBe('картридж')
  expect(otherLayout('Rfhnhbl:')).toBe('картридж')
  expect(otherLayout('ыфьыгтп')).toBe('samsung')
  expect(otherLayout('`krf 42')).toBe('ёлка 42')
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
