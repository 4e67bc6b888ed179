import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { calendarDay, dateRange, readIdList, readMoment, readSort, readWordList } from '../../src/rules/lists.ts'
import { refusalOf } from '../support/refusal.ts'

describe('the order of a list', () => {
  const fields = ['name', 'createdAt'] as const

  test.each([
    ['name', 'name', false],
    ['name,asc', 'name', false],
    ['createdAt,desc', 'createdAt', true],
    ['createdAt, DESC', 'createdAt', true],
  ])('%j is by %j, descending %j', (text, field, descending) => {
    expect(readSort(text, fields)).toEqual({ field, descending })
  })

  test.each(['', 'Name', 'password', 'created_at', 'name,up', 'name,asc,desc', 'name,', ',desc', 'constructor'])(
    '%j is refused, with the fields there are',
    (text) => {
      expect(refusalOf(() => readSort(text, fields))).toEqual({
        code: 'VALIDATION_FAILED',
        paths: [''],
        words: expect.stringContaining('name, createdAt'),
      })
    },
  )
})

describe('a list of ids', () => {
  const ids = (howMany: number) => Array.from({ length: howMany }, (_, n) => n + 1)

  test('has commas, and each id once', () => {
    expect(readIdList('7')).toEqual([7])
    expect(readIdList('3, 1,3,2147483647')).toEqual([3, 1, 2_147_483_647])
    expect(readIdList(ids(1000).join(','))).toEqual(ids(1000))
  })

  test.each([
    ...['', ',', '1,', '1,,2', '0', '-1', '1.5', '1e3', 'a', '2147483648', '99999999999', '１', '1;2'],
    ids(1001).join(','),
  ])('%j is none', (text) => {
    expect(refusalOf(() => readIdList(text))?.words).toContain('comma-separated ids')
  })
})

describe('a list of words', () => {
  const words = ['a', 'b', 'c'] as const

  test('has each word once, in the order of those there are', () => {
    expect(readWordList('c, a,c', words)).toEqual(['a', 'c'])
  })

  test.each(['', 'd', 'a,', 'a;b', 'A'])('%j is none', (text) => {
    expect(refusalOf(() => readWordList(text, words))?.words).toBe('Choose from: a, b, c')
  })
})

describe('a range of dates', () => {
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
    const moment = readMoment(text)
    expect(dateRange({ dateFrom: moment, dateTo: moment }, zone)).toEqual({
      from: new Date(from),
      until: new Date(until),
    })
  })

  test('may be open at either end', () => {
    expect(dateRange({}, 'UTC')).toEqual({})
    expect(dateRange({ dateTo: readMoment('2026-03-10') }, 'UTC')).toEqual({
      until: new Date('2026-03-11T00:00:00Z'),
    })
  })

  test.each([
    ...['today', '2026', '2026-W10', '2026-02-29', '10.03.2026', '2026-03-10 12:00', '0000-05-05'],
    ...['2026-03-10T24:01', '2026-03-10T12:00+24:00', '2026-03-10T12:00+05:60', '2026-03-10T12:00 24:00'],
  ])('rejects the moment "%s"', (text) => {
    expect(refusalOf(() => readMoment(text))?.words).toContain('YYYY-MM-DD')
  })
})

describe('a day of the calendar', () => {
  const begins = (now: string, zone: string) =>
    [0, 6, 29].map((days) => calendarDay(new Date(now), zone, days).begin.toISOString())

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
            const { begin } = calendarDay(now, zone, days)
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
})
