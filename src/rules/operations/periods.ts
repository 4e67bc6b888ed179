import { DateTime } from 'luxon'

/** A day of the shop's calendar; `date` is YYYY-MM-DD. @param days 0: today */
export function dayBefore(now: Date, timeZone: string, days: number): { date: string; begin: Date } {
  const today = DateTime.fromJSDate(now, { zone: timeZone }).startOf('day')
  const day = today.minus({ days }).startOf('day')
  return { date: day.toFormat('yyyy-MM-dd'), begin: day.toJSDate() }
}
