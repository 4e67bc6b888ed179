import { expect, test } from 'vitest'
import { endMoment, firstMoment } from '../../src/rules/date-range.ts'

test.each([
  ['2026-03-10', 'UTC', '2026-03-10T00:00:00.000Z', '2026-03-11T00:00:00.000Z'],
  ['2026-03-10', 'Europe/Moscow', '2026-03-09T21:00:00.000Z', '2026-03-10T21:00:00.000Z'],
  // Clocks go forward: a day of 23 hours.
  ['2026-03-29', 'Europe/Berlin', '2026-03-28T23:00:00.000Z', '2026-03-29T22:00:00.000Z'],
  // Clocks go forward at midnight: the day begins at one o'clock.
  ['2025-09-07', 'America/Santiago', '2025-09-07T04:00:00.000Z', '2025-09-08T03:00:00.000Z'],
  ['2026-03-10T12:00:00Z', 'Europe/Moscow', '2026-03-10T12:00:00.000Z', '2026-03-10T12:00:00.001Z'],
  ['2026-03-10T12:00+03:00', 'UTC', '2026-03-10T09:00:00.000Z', '2026-03-10T09:00:00.001Z'],
  ['2026-03-10T12:00 03:00', 'UTC', '2026-03-10T09:00:00.000Z', '2026-03-10T09:00:00.001Z'],
  ['2026-03-10T12:00:00.5', 'Europe/Moscow', '2026-03-10T09:00:00.500Z', '2026-03-10T09:00:00.501Z'],
])('%s in %s is from %s to before %s', (text, zone, from, until) => {
  expect(firstMoment(text, zone)?.toISOString()).toBe(from)
  expect(endMoment(text, zone)?.toISOString()).toBe(until)
})

test.each([
  '',
  'today',
  '2026',
  '2026-W10',
  '2026-02-29',
  '10.03.2026',
  '2026-03-10 12:00',
  '0000-05-05',
  '2026-03-10T24:01',
])('"%s" is no moment', (text) => {
  expect(firstMoment(text, 'UTC')).toBeNull()
  expect(endMoment(text, 'UTC')).toBeNull()
})
