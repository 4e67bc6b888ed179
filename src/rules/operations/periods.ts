import { DateTime } from 'luxon'

/** Start of each period of a report; all end now. */
export type Periods = { today: Date; days7: Date; days30: Date }

/** A day of the shop's calendar, YYYY-MM-DD. */
export type CalendarDay = { date: string; begin: Date }

/** The last days of the shop's calendar, ending with today; a day on which the clocks change hasn't 24 hours. */
export function daysUntil(now: Date, timeZone: string, days: number): CalendarDay[] {
  const today = DateTime.fromJSDate(now, { zone: timeZone }).startOf('day')
  return Array.from({ length: days }, (_, index) => {
    const day = today.minus({ days: days - 1 - index }).startOf('day')
    return { date: day.toFormat('yyyy-MM-dd'), begin: day.toJSDate() }
  })
}

/** Counts days of the shop's calendar, including today, across changes of the clocks. */
export function periodsUntil(now: Date, timeZone: string): Periods {
  const today = DateTime.fromJSDate(now, { zone: timeZone }).startOf('day')
  const begin = (days: number) =>
    today
      .minus({ days: days - 1 })
      .startOf('day')
      .toJSDate()
  return { today: begin(1), days7: begin(7), days30: begin(30) }
}
