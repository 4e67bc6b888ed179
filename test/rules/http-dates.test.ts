import { expect, test } from 'vitest'
import { parseHttpDate, readRetryAfter } from '../../src/rules/http-dates.ts'

const NOW = new Date('2026-11-28T10:00:00.500Z')

test.each([
  ['Sat, 28 Nov 2026 10:00:30 GMT', '2026-11-28T10:00:30.000Z'],
  ['Saturday, 28-Nov-26 10:00:30 GMT', '2026-11-28T10:00:30.000Z'],
  ['Sat Nov 28 10:00:30 2026', '2026-11-28T10:00:30.000Z'],
  ['Mon, 01 Jan 0001 00:00:00 GMT', undefined],
  ['2026-11-28T10:00:30Z', undefined],
  ['', undefined],
  [undefined, undefined],
])('reads the date %j', (text, iso) => {
  expect(parseHttpDate(text)?.toISOString()).toBe(iso)
})

test.each([
  [{ 'retry-after': '0' }, 0],
  [{ 'retry-after': '30' }, 30_000],
  [{ 'retry-after': 'Sat, 28 Nov 2026 10:00:30 GMT' }, 29_500],
  [{ 'retry-after': 'Sat, 28 Nov 2026 10:00:30 GMT', date: 'soon' }, 29_500],
  // The server's clock is an hour ahead.
  [{ 'retry-after': 'Sat, 28 Nov 2026 11:00:30 GMT', date: 'Sat, 28 Nov 2026 11:00:00 GMT' }, 30_000],
  [{ 'retry-after': 'Sat, 28 Nov 2026 09:59:00 GMT' }, 0],
  [{ 'retry-after': '-1' }, null],
  [{ 'retry-after': '1.5' }, null],
  [{ 'retry-after': 'soon' }, null],
  [{ 'retry-after': '' }, null],
  [{}, null],
])('reads %j as %s ms', (headers, ms) => {
  expect(readRetryAfter(headers, NOW)).toBe(ms)
})
