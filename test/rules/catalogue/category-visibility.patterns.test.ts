import { expect, test } from 'vitest'
import { compilePattern } from '../../../src/rules/catalogue/category-visibility.ts'
import { refusalOf } from '../../support/refusal.ts'

test('matches any part of a text, ignoring case', () => {
  expect(compilePattern('^АРХИВ|уцен').test('Архив 2020')).toBe(true)
  expect(compilePattern('^АРХИВ|уцен').test('Товары с Уценкой')).toBe(true)
  expect(compilePattern('^АРХИВ|уцен').test('Старый архив')).toBe(false)
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
