import { DateTime } from 'luxon'

/** When the periods of a report begin; each goes on until now. */
export type Periods = { today: Date; days7: Date; days30: Date }

/** Days of the shop's calendar, today included, whatever the clocks do meanwhile. */
export function periodsUntil(now: Date, timeZone: string): Periods {
  const today = DateTime.fromJSDate(now, { zone: timeZone }).startOf('day')
  const begin = (days: number) =>
    today
      .minus({ days: days - 1 })
      .startOf('day')
      .toJSDate()
  return { today: begin(1), days7: begin(7), days30: begin(30) }
}
