import fc from 'fast-check'
import { expect, test } from 'vitest'
import { readSlug, slugBase, slugWithSuffix } from '../../../src/rules/catalogue/slugs.ts'
import { anyCharacter } from '../../support/characters.ts'

test.each([
  ['Дрель ударная «Вектор» ДУ-850, 850 Вт', 'drel-udarnaya-vektor-du-850-850-vt'],
  ['Щётка ёршик', 'schyotka-yorshik'],
  ['  EH 5500 MUST  ', 'eh-5500-must'],
  // Truncation at 110 characters must not leave a trailing dash.
  [`${'а'.repeat(109)} ${'б'.repeat(50)}`, 'a'.repeat(109)],
  ['Қазақша сөздік', 'qazaqsha-sozdik'],
  ['Łóżka Işıklar Œuvre', 'lozka-isiklar-oeuvre'],
  ['Объём', 'obyom'],
  ['!!!', ''],
  ['漢字', ''],
  // Reserved path segments of the storefront and the API.
  ['Новый «Search»', 'noviy-search'],
  ['Search', ''],
])('turns %s into %s', (name, slug) => {
  expect(slugBase(name)).toBe(slug)
})

/** Signs that soften or divide, letters of phonetics for a stop in the throat, and a few younger than the library's table. */
const WITHOUT_SOUND =
  /[ЪЬъьҌҍԦԧᲆꙎꙏꙿꚜꚝ\u{1e065}ƸƹɁɂʔʕʡʢʭˤᴤᴥᵜꜢꜣꜤꜥꝪꝫꝮꝯꝰꞋꞌꞏ\ua7ce\ua7cf\ua7d2\ua7d4\ua7f1\u{10781}\u{10782}\u{107b3}\u{107b4}]/u

test('transliterates every letter of Unicode’s Latin and Cyrillic blocks', () => {
  const letter = /(?=\p{L})[\p{Script=Latin}\p{Script=Cyrillic}]/u
  const letters = Array.from({ length: 0x20000 }, (_, code) => code)
    .filter((code) => code < 0xd800 || code > 0xdfff)
    .map((code) => String.fromCodePoint(code))
    .filter((sign) => letter.test(sign) && !WITHOUT_SOUND.test(sign))
  expect(letters.length).toBeGreaterThan(1500)
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

test('adds -2 to the second of a name', () => {
  expect(slugWithSuffix('drel', 1).slug).toBe('drel')
  expect(slugWithSuffix('drel', 2).slug).toBe('drel-2')
})

test.each([
  '',
  'a'.repeat(121),
  'Drel',
  'drel_2',
  '-drel',
  'drel--2',
  'дрель',
  'search',
  'by-slug',
  'a b',
  'a/b',
])('rejects the slug %j', (slug) => {
  expect(() => readSlug(slug)).toThrow(
    expect.objectContaining({
      status: 400,
      extras: { details: [{ path: 'slug', message: expect.any(String) }] },
    }),
  )
})

test('accepts any other slug', () => {
  for (const slug of ['drel', '2', 'drel-2', 'a'.repeat(120), 'search-2']) {
    expect(readSlug(slug)).toEqual({ slug, base: slug, suffix: 1 })
  }
})
