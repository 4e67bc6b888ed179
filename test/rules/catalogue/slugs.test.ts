import fc from 'fast-check'
import { expect, test } from 'vitest'
import { slugBase, slugWithSuffix } from '../../../src/rules/catalogue/slugs.ts'

test.each([
  ['Дрель ударная «Вектор» ДУ-850, 850 Вт', 'drel-udarnaya-vektor-du-850-850-vt'],
  ['Щётка ёршик', 'schyotka-yorshik'],
  ['  EH 5500 MUST  ', 'eh-5500-must'],
  // The cut after 110 characters would leave the dash.
  [`${'а'.repeat(109)} ${'б'.repeat(50)}`, 'a'.repeat(109)],
  ['!!!', ''],
  ['漢字', ''],
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
