import { DateTime } from 'luxon'

/** A day of the shop's calendar, YYYY-MM-DD. */
export type CalendarDay = { date: string; begin: Date }

/** The last days of the shop's calendar, ending with today; a day on which the clocks change hasn't 24 hours. */
export function daysUntil(now: Date, timeZone: string, days: number): CalendarDay[] {
  return Array.from({ length: days }, (_, index) => dayBefore(now, timeZone, days - 1 - index))
}

/** A day of the shop's calendar. @param days 0: today */
export function dayBefore(now: Date, timeZone: string, days: number): CalendarDay {
  const today = DateTime.fromJSDate(now, { zone: timeZone }).startOf('day')
  const day = today.minus({ days }).startOf('day')
  return { date: day.toFormat('yyyy-MM-dd'), begin: day.toJSDate() }
}
