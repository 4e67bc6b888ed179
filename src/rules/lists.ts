import { DateTime } from 'luxon'
import { invalid } from '../errors.ts'

/** Maximum of PostgreSQL's int, the type of every id. */
export const MAX_INT = 2_147_483_647
export const MAX_IDS = 1000

/** The order of a list. */
export type Sort<Field extends string> = { field: Field; descending: boolean }

/** Parses `field`, `field,asc` or `field,desc`. @throws AppError 400 that lists the fields */
export function readSort<Field extends string>(text: string, fields: readonly Field[]): Sort<Field> {
  const [name, direction = 'asc', ...rest] = text.split(',').map((part) => part.trim())
  const field = fields.find((one) => one === name)
  if (field !== undefined && rest.length === 0 && /^(asc|desc)$/i.test(direction)) {
    return { field, descending: direction.toLowerCase() === 'desc' }
  }
  throw invalid({ path: '', code: 'NOT_SORT', params: { fields } })
}

/** Parses comma-separated ids and removes duplicates. @throws AppError 400 for none, more than `max`, or anything else */
export function readIdList(text: string, max = MAX_IDS): number[] {
  const parts = text.split(',').map((part) => part.trim())
  const ids = parts.map((part) => (/^\d{1,10}$/.test(part) ? Number(part) : 0))
  if (ids.length <= max && ids.every((id) => id >= 1 && id <= MAX_INT)) return [...new Set(ids)]
  throw invalid({ path: '', code: 'NOT_ID_LIST', params: { max } })
}

/** The ids in both lists; null: all there are. */
export function commonIds(one: number[] | null, other: number[] | null): number[] | null {
  if (one === null || other === null) return one ?? other
  const among = new Set(other)
  return one.filter((id) => among.has(id))
}

/** Parses comma-separated words and removes duplicates. @throws AppError 400 that lists the words */
export function readWordList<Word extends string>(text: string, words: readonly Word[]): Word[] {
  const parts = new Set(text.split(',').map((part) => part.trim()))
  const found = words.filter((word) => parts.has(word))
  if (found.length === parts.size) return found
  throw invalid({ path: '', code: 'NOT_WORD_LIST', params: { words } })
}

const DAY = /^\d{4}-\d{2}-\d{2}$/
const MOMENT = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d{1,9})?)?(Z|[+-]([01]\d|2[0-3]):?[0-5]\d)?$/i
const OFFSET = /T[^T]*(Z|[+-][\d:]+)$/i

/** A day of the shop's calendar, or a time. Without an offset, `time` is the shop's local time written as UTC. */
export type Moment = { time: Date; isDay: boolean; hasOffset: boolean }

/** Parses a day or an ISO timestamp. @throws AppError 400 */
export function readMoment(written: string): Moment {
  // A plus that is not percent-encoded is decoded as a space.
  const text = written.replace(/ (?=\d{2}:?\d{2}$)/, '+')
  const isDay = DAY.test(text)
  const time = DateTime.fromISO(text, { zone: 'UTC' })
  if (!(isDay || MOMENT.test(text)) || !time.isValid || time.year < 1) throw invalid({ path: '', code: 'NOT_MOMENT' })
  return { time: time.toJSDate(), isDay, hasOffset: OFFSET.test(text) }
}

/** @returns `from` inclusive, `until` exclusive: the end of the day or millisecond */
export function dateRange({ dateFrom, dateTo }: { dateFrom?: Moment; dateTo?: Moment }, timeZone: string) {
  const from = dateFrom && inZone(dateFrom, timeZone)
  const to = dateTo && inZone(dateTo, timeZone)
  // A day on which the clocks change doesn't have 24 hours.
  const until = to && (dateTo.isDay ? to.plus({ days: 1 }).startOf('day') : to.plus(1))
  return { ...(from && { from: from.toJSDate() }), ...(until && { until: until.toJSDate() }) }
}

function inZone({ time, isDay, hasOffset }: Moment, timeZone: string): DateTime {
  const moment = DateTime.fromJSDate(time, { zone: 'UTC' }).setZone(timeZone, { keepLocalTime: !hasOffset })
  return isDay ? moment.startOf('day') : moment
}

/** Today, or a day before it, in the shop's calendar; `date` is YYYY-MM-DD. */
export function calendarDay(now: Date, timeZone: string, daysAgo = 0): { date: string; begin: Date } {
  const day = DateTime.fromJSDate(now, { zone: timeZone }).startOf('day').minus({ days: daysAgo }).startOf('day')
  return { date: day.toFormat('yyyy-MM-dd'), begin: day.toJSDate() }
}
