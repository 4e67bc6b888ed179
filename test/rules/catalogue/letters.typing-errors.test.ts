import fc from 'fast-check'
import { expect, test } from 'vitest'
import { errorsAllowed, typingErrors } from '../../../src/rules/catalogue/letters.ts'

test.each([
  ['дом', 1],
  ['до', 0],
  ['картридж', 2],
  ['принтер', 1],
  ['12345', 0],
  ['tk510k900', 1],
  ['🙂🙂🙂', 0],
])('allows %s %i typing errors', (word, errors) => {
  expect(errorsAllowed(word)).toBe(errors)
})

test.each([
  ['перфоратор', 'перфаратор', 1],
  ['перфоратор', 'перфоратро', 1],
  ['перфоратор', 'перфоратр', 1],
  ['перфоратор', 'перффоратор', 1],
  ['перфоратор', 'регистратор', 5],
  ['', 'abc', 3],
  ['ca', 'abc', 3],
])('counts between %s and %s %i typing errors', (a, b, errors) => {
  expect(typingErrors(a, b)).toBe(errors)
  expect(typingErrors(b, a)).toBe(errors)
})

test('counts a swap of neighbouring letters as one typing error', () => {
  fc.assert(
    fc.property(fc.string({ minLength: 2, maxLength: 12 }), fc.nat(10), (word, at) => {
      const index = at % (word.length - 1)
      const swapped = word.slice(0, index) + word[index + 1] + word[index] + word.slice(index + 2)
      expect(typingErrors(word, swapped)).toBe(word === swapped ? 0 : 1)
    }),
  )
})
