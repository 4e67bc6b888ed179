import { expect, test } from 'vitest'
import { compilePattern } from '../../../src/rules/catalogue/category-visibility.ts'
import { refusalOf } from '../../support/refusal.ts'

test('matches any part of a text, ignoring case', () => {
  const isMatch = compilePattern('^АРХИВ|уцен')
  expect(['Архив 2020', 'Товары с Уценкой', 'Старый архив'].map(isMatch)).toEqual([true, true, false])
})

test.each([
  ['^елки$', 'Ёл\u00ADки'],
  ['^ёлки$', 'ЕЛКИ'],
  ['^ё?лки$'.normalize('NFD'), 'Ёлки'],
  ['архив\u200B', 'Архив'],
  ['веб-камеры', 'Веб–камеры'],
  ['веб[–—]камеры', 'Веб-камеры'],
  ['[а–я]1', '-1'],
  ['№ ?5', 'Бумага №5'],
  ['8x40', 'Болты 8×40'],
  ['1[.,]5', 'Ёмкости 1,5 л'],
  ['（', '(уценка)'],
  ['cafe', 'Café'],
])('matches by %j what people see in %j', (pattern, text) => {
  expect(compilePattern(pattern)(text)).toBe(true)
})

test('takes no sign for syntax that was none', () => {
  expect(compilePattern('[а–я]1')('б1')).toBe(false)
  expect(compilePattern('а？')('б')).toBe(false)
})

test('rejects invalid patterns', () => {
  for (const wrong of ['(', '[', '(?=a)', '(?<!a)b', '\\1', '(a{1000}){1000}']) {
    expect([wrong, refusalOf(() => compilePattern(wrong))]).toMatchObject([
      wrong,
      { code: 'VALIDATION_FAILED', paths: ['pattern'] },
    ])
  }
})

test('rejects repetitions that make a pattern too large', () => {
  expect(refusalOf(() => compilePattern('(а{30}){30}'))).toBeNull()
  expect(refusalOf(() => compilePattern('(а{30}){33}б{100}'))?.words).toMatch(/too large/)
  expect(refusalOf(() => compilePattern('а'.repeat(500)))).toBeNull()
})
