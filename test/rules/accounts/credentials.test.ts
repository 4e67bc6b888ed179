import { expect, test } from 'vitest'
import { normalEmail, passwordProblem } from '../../../src/rules/accounts/credentials.ts'

test.each([
  [' Ann.Lee+shop@Example.COM ', 'ann.lee+shop@example.com'],
  ['a@b.co', 'a@b.co'],
  ['root@localhost', 'root@localhost'],
  [`${'l'.repeat(64)}@example.com`, `${'l'.repeat(64)}@example.com`],
])('%s is an address', (text, email) => {
  expect(normalEmail(text)).toBe(email)
})

test.each([
  '',
  'ann',
  '@example.com',
  'ann@',
  'ann@@example.com',
  'ann lee@example.com',
  '.ann@example.com',
  'ann.@example.com',
  'an..n@example.com',
  'ann@example..com',
  'ann@-example.com',
  'ann@example.com\nbcc: x@example.com',
  'ann@ex_ample.com',
  `${'l'.repeat(65)}@example.com`,
  `ann@${'a'.repeat(60)}.${'b'.repeat(60)}.${'c'.repeat(60)}.${'d'.repeat(60)}.${'e'.repeat(10)}.com`,
  // Letters whose lower case JavaScript and PostgreSQL see differently, or that look like ASCII ones.
  'İ@example.com',
  'ann@example.\u212Aom',
  'анна@example.com',
])('%j is none', (text) => {
  expect(normalEmail(text)).toBeNull()
})

test('a long run of dots and letters is judged at once', () => {
  const started = performance.now()
  expect(normalEmail(`${'a.'.repeat(5000)}@`)).toBeNull()
  expect(normalEmail(`a@${'a-'.repeat(5000)}`)).toBeNull()
  expect(performance.now() - started).toBeLessThan(100)
})

test('a password has 8 characters to 72 bytes', () => {
  expect(passwordProblem('1234567')).toContain('8 characters')
  expect(passwordProblem('12345678')).toBeNull()
  // Four characters, in eight units of UTF-16.
  expect(passwordProblem('😀😀😀😀')).toContain('8 characters')
  expect(passwordProblem('x'.repeat(72))).toBeNull()
  expect(passwordProblem('x'.repeat(73))).toContain('72 bytes')
  expect(passwordProblem('ж'.repeat(36))).toBeNull()
  expect(passwordProblem('ж'.repeat(37))).toContain('72 bytes')
})
