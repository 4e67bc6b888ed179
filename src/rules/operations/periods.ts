import { DateTime } from 'luxon'

/** Start of each period of a report; all end now. */
export type Periods = { today: Date; days7: Date; days30: Date }

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
