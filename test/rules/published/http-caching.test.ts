import { expect, test } from 'vitest'
import { chooseEncoding, isUnchanged, matchTag } from '../../../src/rules/published/http-caching.ts'

const ALL = ['zstd', 'br', 'gzip'] as const

test.each([
  [undefined, 'identity'],
  ['', 'identity'],
  ['identity', 'identity'],
  ['deflate', 'identity'],
  ['gzip', 'gzip'],
  ['GZIP', 'gzip'],
  ['x-gzip', 'gzip'],
  ['br, gzip;q=0.5', 'br'],
  ['br;q=0.5, gzip', 'gzip'],
  ['br;q=0.5, gzip;q=0.8, zstd;q=0.7', 'gzip'],
  ['gzip, deflate, br, zstd', 'zstd'],
  ['gzip, deflate, br', 'br'],
  ['*', 'zstd'],
  ['*, zstd;q=0', 'br'],
  ['gzip;q=0', 'identity'],
  ['gzip; q=0.000, *', 'zstd'],
  ['*;q=0', 'identity'],
  ['gzip;q=nonsense', 'identity'],
  ['identity, gzip;q=0.5', 'identity'],
  ['identity;q=0.5, gzip', 'gzip'],
  ['identity, gzip', 'gzip'],
])('Accept-Encoding %j prefers %s', (header, expected) => {
  expect(chooseEncoding(header, ALL)).toBe(expected)
})

test('chooses among the offered encodings only', () => {
  expect(chooseEncoding('br, gzip;q=0.1', ['gzip'])).toBe('gzip')
  expect(chooseEncoding('br', ['gzip'])).toBe('identity')
})

test('finds the first ETag that the client has', () => {
  expect(matchTag('"a", "b-gzip"', ['"b"', '"b-gzip"'])).toBe('"b-gzip"')
  expect(matchTag('*', ['"b"', '"b-gzip"'])).toBe('"b"')
  expect(matchTag('"c"', ['"b"', '"b-gzip"'])).toBeUndefined()
})

const modified = { at: new Date('2026-11-01T10:00:00.700Z'), now: new Date('2026-11-01T12:00:00Z') }

test.each([
  [{}, false],
  [{ 'if-none-match': '"a"' }, true],
  [{ 'if-none-match': 'W/"a"' }, true],
  [{ 'if-none-match': '"b" , "a"' }, true],
  [{ 'if-none-match': '*' }, true],
  // fetch() adds no-cache to a condition.
  [{ 'if-none-match': '"a"', 'cache-control': 'no-cache' }, true],
  [{ 'if-none-match': '"b"' }, false],
  [{ 'if-none-match': 'a' }, false],
  [{ 'if-modified-since': 'Sun, 01 Nov 2026 10:00:00 GMT' }, true],
  [{ 'if-modified-since': 'Sun, 01 Nov 2026 09:59:59 GMT' }, false],
  [{ 'if-modified-since': 'Sun, 01 Nov 2026 13:00:00 GMT' }, true],
  // Sent while our clock was wrong.
  [{ 'if-modified-since': 'Sun, 01 Nov 2026 13:00:01 GMT' }, false],
  [{ 'if-modified-since': 'nonsense' }, false],
  [{ 'if-none-match': '"b"', 'if-modified-since': 'Sun, 01 Nov 2026 10:00:00 GMT' }, false],
])('recognizes a current copy by %j: %j', (headers, expected) => {
  expect(isUnchanged(headers, { etag: '"a"', modified })).toBe(expected)
})
