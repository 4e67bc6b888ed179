import fc from 'fast-check'
import { expect, test } from 'vitest'
import { checkPattern, createPatterns } from '../../../src/rules/catalogue/category-patterns.ts'
import { refusalOf } from '../../support/refusal.ts'

function matches(patterns: string[], text: string): boolean {
  const { add, matchers } = createPatterns()
  for (const pattern of patterns) add(pattern)
  return matchers.some((match) => match(text))
}

const word = fc.array(fc.constantFrom('а', 'Б', 'c', 'D', 'ё', ' ', '/'), { minLength: 1, maxLength: 4 })
const pattern = fc
  .array(
    fc.oneof(
      word.map((letters) => letters.join('')),
      fc.constantFrom('.', '[а-я]', 'c*', 'D+', '(а|Б)'),
    ),
    {
      minLength: 1,
      maxLength: 3,
    },
  )
  .map((parts) => parts.join(''))

test('matches what any of many patterns matches, ignoring case', () => {
  fc.assert(
    fc.property(fc.array(pattern, { maxLength: 8 }), word, fc.boolean(), (patterns, letters, large) => {
      const text = letters.join('')
      // Large patterns form their own groups.
      const all = large ? patterns.flatMap((one) => [one, `я{900}${one}`]) : patterns
      expect(matches(all, text)).toBe(patterns.some((one) => new RegExp(one, 'iu').test(text)))
    }),
  )
})

test('rejects invalid patterns, and never matches stored ones', () => {
  for (const wrong of ['(', '[', '(?=a)', '(?<!a)b', '\\1', '(a{1000}){1000}']) {
    expect([wrong, refusalOf(() => checkPattern(wrong))]).toMatchObject([
      wrong,
      { code: 'VALIDATION_FAILED', paths: ['pattern'] },
    ])
    expect(matches([wrong], 'ab(aa')).toBe(false)
    expect(matches([wrong, 'AB'], 'ab')).toBe(true)
  }
})

test('rejects repetitions that make a pattern too large', () => {
  expect(refusalOf(() => checkPattern('(а{30}){30}'))).toBeNull()
  expect(refusalOf(() => checkPattern('(а{30}){33}б{100}'))?.words).toMatch(/too large/)
  expect(refusalOf(() => checkPattern('а'.repeat(500)))).toBeNull()
})
