import { expect, test } from 'vitest'
import { chooseLanguage, findUnstorable, readWeights, toNfc, withoutAddresses } from '../../src/rules/text.ts'

const NUL = { code: 'NULL_CHARACTER' }
const HALF = { code: 'HALF_CHARACTER' }

test('finds text and keys that PostgreSQL rejects, with their paths', () => {
  const value = { a: ['x', { 'b/c': '\0' }], '\0': 1, d: '\ud800', e: '😀' }
  expect(findUnstorable(value, 10)).toEqual([
    { path: ['a', '1', 'b/c'], reason: NUL },
    { path: [], reason: NUL },
    { path: ['d'], reason: HALF },
  ])
  expect(findUnstorable('\0')).toEqual([{ path: [], reason: NUL }])
  for (const fine of [null, 1, '', 'я', [], {}, undefined]) expect(findUnstorable(fine)).toEqual([])
})

test('stops after as many as asked for', () => {
  expect(findUnstorable(Array(9).fill('\0'))).toHaveLength(1)
  expect(findUnstorable([Array(9).fill('\0'), { a: '\0', b: '\0' }], 10)).toHaveLength(10)
})

test('nesting has at most 100 levels', () => {
  const nested = (levels: number): unknown => JSON.parse('['.repeat(levels) + ']'.repeat(levels))
  expect(findUnstorable(nested(100))).toEqual([])
  expect(findUnstorable(nested(101))).toEqual([
    { path: Array(100).fill('0'), reason: { code: 'TOO_DEEP', params: { max: 100 } } },
  ])
  expect(findUnstorable(nested(100_000))).toHaveLength(1)
})

test('masks the addresses in what a mail server answered', () => {
  expect(withoutAddresses("550 5.1.1 <anna@shop.example>: unknown, (анна@дом.рф) b@c.d: can't")).toBe(
    "550 5.1.1 <<address>>: unknown, (<address>) <address>: can't",
  )
  expect(withoutAddresses('connect ECONNREFUSED 127.0.0.1:25')).toBe('connect ECONNREFUSED 127.0.0.1:25')
})

test('reads the weights of the first thousand characters of a header', () => {
  expect([...readWeights('ru;q=0.5, en')]).toEqual([
    ['ru', 0.5],
    ['en', 1],
  ])
  expect(readWeights(`${','.repeat(15_000)}ru`).size).toBe(0)
})

test('composes letters, and cuts long runs of combining marks', () => {
  expect(toNfc('Ёлка й, 1.5 л'.normalize('NFD'))).toBe('Ёлка й, 1.5 л')
  const marks = '\u0323\u0301'.repeat(5000)
  expect(toNfc(`q${marks} q${marks}`)).toHaveLength('q q'.length + 2 * 30)
  // Half of a surrogate pair is cut, too.
  expect(toNfc(`${'\u0301'.repeat(29)}${'\u{1e000}'.repeat(9)}`)).toHaveLength(29)
})

test.each([
  [undefined, 'en'],
  ['*', 'en'],
  ['de-DE, de;q=0.9', 'en'],
  ['ru', 'ru'],
  ['ru-RU,ru;q=0.9,en-US;q=0.8', 'ru'],
  ['en-US,en;q=0.9,ru;q=0.8', 'en'],
  ['en;q=0.5, RU;q=0.7', 'ru'],
  ['de, ru;q=0.1', 'ru'],
  ['ru;q=0', 'en'],
  ['russian', 'en'],
])('Accept-Language %j is answered in %s', (header, expected) => {
  expect(chooseLanguage(header)).toBe(expected)
})
