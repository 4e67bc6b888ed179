import { expect, test } from 'vitest'
import { isPhone, phoneKey, searchTexts } from '../../src/rules/phone.ts'

test.each([
  '+7 900 123-45-67',
  '8 (900) 123-45-67',
  '89001234567',
  '79001234567',
  '900 123 45 67',
  ' ＋７９００１２３４５６７ ',
  '\u202A+7\u00A0900\u00A0123‑45‑67\u202C',
])('%s is one number', (phone) => {
  expect(phoneKey(phone)).toBe('79001234567')
})

test.each([
  ['+8 900 123 45 67', '89001234567'],
  ['8 800 555-35-35', '78005553535'],
  ['+49 900 1234567', '499001234567'],
  ['+900 123 45 67', '9001234567'],
  ['123-45-67', '1234567'],
])('leaves %s unchanged: %s', (phone, key) => {
  expect(phoneKey(phone)).toBe(key)
})

test('requires at least five digits', () => {
  expect(isPhone(' 1-23-45 ')).toBe(true)
  for (const phone of ['12-34', 'call me', '']) expect(isPhone(phone), phone).toBe(false)
})

test.each([
  ['', []],
  ['   ', []],
  [' Семён  Ёлкин ', ['семен елкин']],
  ['E\u0301', ['e']],
  ['Ан\u00ADна\u200B\u00A0—\u00A0Ли', ['анна - ли']],
  ['+7 900 123‑45–67', ['+7 900 123-45-67', '9001234567']],
  ['+7 (900) 12-3', ['+7 (900) 12-3', '7900123']],
  ['+7 (900) 123-45-67', ['+7 (900) 123-45-67', '9001234567']],
  ['89001234567', ['89001234567', '9001234567']],
  ['000123', ['000123']],
  ['1-2', ['1-2']],
  ['дом 12345', ['дом 12345']],
  ['100%_', ['100%_']],
])('searches %j as %j', (text, texts) => {
  expect(searchTexts(text)).toEqual(texts)
})
