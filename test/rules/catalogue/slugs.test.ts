import fc from 'fast-check'
import { expect, test } from 'vitest'
import { readSlug, slugBase, slugWithSuffix } from '../../../src/rules/catalogue/slugs.ts'

test.each([
  ['Дрель ударная «Вектор» ДУ-850, 850 Вт', 'drel-udarnaya-vektor-du-850-850-vt'],
  ['Щётка ёршик', 'schyotka-yorshik'],
  ['  EH 5500 MUST  ', 'eh-5500-must'],
  // The cut after 110 characters would leave the dash.
  [`${'а'.repeat(109)} ${'б'.repeat(50)}`, 'a'.repeat(109)],
  ['!!!', ''],
  ['漢字', ''],
  // It would stand where an address of the storefront or the API has a word of its own.
  ['Новый «Search»', 'noviy-search'],
  ['Search', ''],
])('%s becomes %s', (name, slug) => {
  expect(slugBase(name)).toBe(slug)
})

test('whatever the name, the slug has at most 110 characters of [a-z0-9-], with no dash at its ends', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 600 }), (name) => {
      expect(slugBase(name)).toMatch(/^$|^[a-z0-9]([a-z0-9-]{0,108}[a-z0-9])?$/)
    }),
  )
  expect(slugBase('очень длинное имя '.repeat(40)).length).toBeLessThanOrEqual(110)
})

test('the second of a name gets -2', () => {
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
])('staff can not choose the slug %j', (slug) => {
  expect(() => readSlug(slug)).toThrow(
    expect.objectContaining({
      status: 400,
      extras: { details: [{ path: 'slug', message: expect.any(String) }] },
    }),
  )
})

test('staff can choose any other', () => {
  for (const slug of ['drel', '2', 'drel-2', 'a'.repeat(120), 'search-2']) {
    expect(readSlug(slug)).toEqual({ slug, base: slug, suffix: 1 })
  }
})
