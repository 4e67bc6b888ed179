import { expect, test } from 'vitest'
import { accepts, isUnchanged } from '../../../src/rules/published/http-caching.ts'

test.each([
  [undefined, false],
  ['', false],
  ['identity', false],
  ['br', false],
  ['gzip', true],
  ['GZIP', true],
  ['x-gzip', true],
  ['br, gzip;q=0.5', true],
  ['*', true],
  ['gzip;q=0', false],
  ['gzip; q=0.000, *', false],
  ['*;q=0', false],
  ['gzip;q=nonsense', false],
])('Accept-Encoding %j takes gzip: %j', (header, expected) => {
  expect(accepts(header, 'gzip')).toBe(expected)
})

const validators = { etag: '"a"', lastModified: new Date('2026-11-01T10:00:00.700Z') }

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
  [{ 'if-modified-since': 'nonsense' }, false],
  [{ 'if-none-match': '"b"', 'if-modified-since': 'Sun, 01 Nov 2026 10:00:00 GMT' }, false],
])('recognizes a current copy by %j: %j', (headers, expected) => {
  expect(isUnchanged(headers, validators)).toBe(expected)
})
