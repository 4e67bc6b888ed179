import { expect, test } from 'vitest'
import { emailOrNull, isBlankOrEmail, normalEmail, validEmail } from '../../../src/rules/accounts/credentials.ts'
import { refusalOf } from '../../support/refusal.ts'

test.each([
  [' Ann.Lee+shop@Example.COM ', 'ann.lee+shop@example.com'],
  ['a@b.co', 'a@b.co'],
  ['root@localhost', 'root@localhost'],
  [`${'l'.repeat(64)}@example.com`, `${'l'.repeat(64)}@example.com`],
  ['\u200Fr@example.com', 'r@example.com'],
  ['\uFEFFann\u00AD@exam\u200Bple.com\u2069 ', 'ann@example.com'],
  ['Anna@ПОЧТА.рф', 'anna@xn--80a1acny.xn--p1ai'],
  ['anna@почта。рф', 'anna@xn--80a1acny.xn--p1ai'],
  // What DNS takes for an ASCII letter.
  ['ann@example.\u212Aom', 'ann@example.kom'],
])('accepts the address %s', (text, email) => {
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
  '\u0430nn@example.com',
  'анна@example.com',
  'анна@почта.рф',
  'ann＠example.com',
  'ann@почта рф',
  'ann@почта..рф',
  'ann@\u0301.рф',
  `ann@${'ж'.repeat(60)}.рф`,
  `ann@${'почта.'.repeat(40)}рф`,
])('%j is none', (text) => {
  expect(normalEmail(text)).toBeNull()
})

test.each(['', ' ', '\u200F', ' Anna@Example.COM ', '\u200Fr@example.com', 'anna@пример.рф', 'anna@localhost'])(
  '%j may be what a customer enters',
  (text) => expect(isBlankOrEmail(text)).toBe(true),
)

test.each([
  'anna',
  'anna@',
  'anna@mail,ru',
  'anna@mail..ru',
  'anna@mail.ru.',
  'anna@mail.ru, anna@work.ru',
  '<anna@mail.ru>',
  'anna.@mail.ru',
  'анна @mail.ru',
  'anna@mail.ru/',
  'анна@почта.рф',
  'ännä+1@mail.de',
])('%j is a mistake of the customer', (text) => expect(isBlankOrEmail(text)).toBe(false))

test('validates a long run of dots and letters in linear time', () => {
  const before = process.threadCpuUsage()
  expect(normalEmail(`${'a.'.repeat(5000)}@`)).toBeNull()
  expect(normalEmail(`a@${'a-'.repeat(5000)}`)).toBeNull()
  expect(normalEmail(`a@${'ж'.repeat(100_000)}`)).toBeNull()
  expect(process.threadCpuUsage(before).user / 1000).toBeLessThan(100)
})

test('names the invalid field', () => {
  expect(validEmail(' A@b.co ')).toBe('a@b.co')
  expect(refusalOf(() => validEmail('ann', 'to'))).toMatchObject({ code: 'VALIDATION_FAILED', paths: ['to'] })
})

test.each([
  [' Anna@Пример.рф\u200B', 'Anna@Пример.рф'],
  ['\u200F ', null],
  ['', null],
  [null, null],
  [undefined, undefined],
])('stores %j as %j', (text, stored) => expect(emailOrNull(text)).toBe(stored))
