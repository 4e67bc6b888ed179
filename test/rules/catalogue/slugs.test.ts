import fc from 'fast-check'
import { expect, test } from 'vitest'
import { isSlug, slugBase } from '../../../src/rules/catalogue/slugs.ts'
import { anyCharacter } from '../../support/characters.ts'

test.each([
  ['Дрель ударная «Вектор» ДУ-850, 850 Вт', 'drel-udarnaya-vektor-du-850-850-vt'],
  ['Щётка ёршик', 'shchetka-ershik'],
  ['  EH 5500 MUST  ', 'eh-5500-must'],
  // Truncation at 110 characters must not leave a trailing dash.
  [`${'а'.repeat(109)} ${'б'.repeat(50)}`, 'a'.repeat(109)],
  ['Қазақша сөздік', 'qazaqsha-sozdik'],
  ['Łóżka Işıklar Œuvre', 'lozka-isiklar-oeuvre'],
  ['Объём', 'obem'],
  ['Ско\u00ADво\u200Bрода', 'skovoroda'],
  ['!!!', ''],
  ['漢字', 'hanzi'],
  ['Дрель 😀', 'drel'],
  // Reserved path segments of the storefront and the API.
  ['Новый «Search»', 'novyy-search'],
  ['Search', ''],
])('turns %s into %s', (name, slug) => {
  expect(slugBase(name)).toBe(slug)
})

test('transliterates every letter of living Latin and Cyrillic alphabets', () => {
  const letter = /(?=\p{L})[\p{Script=Latin}\p{Script=Cyrillic}]/u
  // Signs that soften or divide, and letters of phonetics for sounds of the throat.
  const withoutSound = /[ЪЬъьҌҍԦԧƸƹɁɂʔʕʡʢʭˤ]/u
  const letters = Array.from({ length: 0x530 }, (_, code) => String.fromCodePoint(code)).filter(
    (sign) => letter.test(sign) && !withoutSound.test(sign),
  )
  expect(letters.length).toBeGreaterThan(800)
  expect(letters.filter((sign) => !/^a[a-z0-9]+b$/.test(slugBase(`a${sign}b`)))).toEqual([])
})

test('gives at most 110 characters of [a-z0-9-] for any name, without a dash at the ends', () => {
  fc.assert(
    fc.property(fc.string({ unit: anyCharacter, maxLength: 600 }), (name) => {
      expect(slugBase(name)).toMatch(/^$|^[a-z0-9]([a-z0-9-]{0,108}[a-z0-9])?$/)
    }),
  )
  expect(slugBase('очень длинное имя '.repeat(40)).length).toBeLessThanOrEqual(110)
})

test.each(['', 'Drel', 'drel_2', '-drel', 'drel--2', 'дрель', 'search', 'by-slug', 'a b', 'a/b'])(
  'rejects the slug %j',
  (slug) => {
    expect(isSlug(slug)).toBe(false)
  },
)

test('accepts any other slug', () => {
  for (const slug of ['drel', '2', 'drel-2', 'a'.repeat(120), 'search-2']) {
    expect(isSlug(slug)).toBe(true)
  }
})
