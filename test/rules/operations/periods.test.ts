import fc from 'fast-check'
import { expect, test } from 'vitest'
import { dayBefore } from '../../../src/rules/operations/periods.ts'

const begins = (now: string, zone: string) =>
  [0, 6, 29].map((days) => dayBefore(new Date(now), zone, days).begin.toISOString())

test.each([
  // Just before and at midnight in the shop's time zone.
  ['2026-11-21T20:59:59.999Z', 'Europe/Moscow', '2026-11-20T21', '2026-11-14T21', '2026-10-22T21'],
  ['2026-11-21T21:00:00.000Z', 'Europe/Moscow', '2026-11-21T21', '2026-11-15T21', '2026-10-23T21'],
  // The clocks went back on 1 November 2026, and forward on 8 March.
  ['2026-11-03T12:00:00.000Z', 'America/New_York', '2026-11-03T05', '2026-10-28T04', '2026-10-05T04'],
  ['2026-11-01T12:00:00.000Z', 'America/New_York', '2026-11-01T04', '2026-10-26T04', '2026-10-03T04'],
  ['2026-03-08T12:00:00.000Z', 'America/New_York', '2026-03-08T05', '2026-03-02T05', '2026-02-07T05'],
  ['2026-01-01T00:00:00.000Z', 'UTC', '2026-01-01T00', '2025-12-26T00', '2025-12-03T00'],
])('at %s in %s the periods start at %s, %s and %s', (now, zone, ...expected) => {
  expect(begins(now, zone)).toEqual(expected.map((hour) => `${hour}:00:00.000Z`))
})

test('covers whole calendar days up to now in any time zone', () => {
  const zones = ['UTC', 'Europe/Moscow', 'America/New_York', 'Asia/Kathmandu', 'Africa/Cairo', 'Pacific/Apia']
  const dayOf = (date: Date, timeZone: string) =>
    Date.parse(new Intl.DateTimeFormat('en-CA', { timeZone, dateStyle: 'short' }).format(date))
  fc.assert(
    fc.property(
      fc.date({ min: new Date('2012-01-01'), max: new Date('2100-01-01'), noInvalidDate: true }),
      fc.constantFrom(...zones),
      (now, zone) => {
        for (const days of [0, 6, 29]) {
          const { begin } = dayBefore(now, zone, days)
          expect(begin <= now).toBe(true)
          const passed = (dayOf(now, zone) - dayOf(begin, zone)) / 86_400_000
          expect([zone, days, passed]).toEqual([zone, days, days])
          // A moment earlier it was the day before.
          expect(dayOf(new Date(begin.getTime() - 1), zone)).toBeLessThan(dayOf(begin, zone))
        }
      },
    ),
  )
})
