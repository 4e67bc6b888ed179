import { DateTime } from 'luxon'
import { invalid } from '../errors.ts'

/** Maximum of PostgreSQL's int, the type of every id. */
export const MAX_INT = 2_147_483_647
const MAX_IDS = 1000

/** The order of a list. */
export type Sort<Field extends string> = { field: Field; descending: boolean }

/**
 * Parses `sort`: `field`, `field,asc` or `field,desc`.
 * @param byDefault used without `sort`
 * @throws AppError 400 that lists the fields
 */
export function readSort<Field extends string>(text: string | undefined, fields: readonly Field[], byDefault: string) {
  const [name, direction = 'asc', ...rest] = (text || byDefault).split(',').map((part) => part.trim())
  const field = fields.find((one) => one === name)
  if (field !== undefined && rest.length === 0 && /^(asc|desc)$/i.test(direction)) {
    return { field, descending: direction.toLowerCase() === 'desc' }
  }
  throw invalid({ path: 'querystring.sort', code: 'NOT_SORT', params: { fields } })
}

/**
 * Parses a query parameter of comma-separated ids and removes duplicates.
 * @throws AppError 400 for none, more than `max`, or anything else
 */
export function readIdList(text: string, name = 'ids', max = MAX_IDS): number[] {
  const parts = text.split(',').map((part) => part.trim())
  const ids = parts.map((part) => (/^\d{1,10}$/.test(part) ? Number(part) : 0))
  if (ids.length <= max && ids.every((id) => id >= 1 && id <= MAX_INT)) return [...new Set(ids)]
  throw invalid({ path: `querystring.${name}`, code: 'NOT_ID_LIST', params: { max } })
}

/** The ids in both lists; null: all there are. */
export function commonIds(one: number[] | null, other: number[] | null): number[] | null {
  if (one === null || other === null) return one ?? other
  const among = new Set(other)
  return one.filter((id) => among.has(id))
}

/**
 * Parses a query parameter of comma-separated words and removes duplicates.
 * @throws AppError 400 that lists the words
 */
export function readWordList<Word extends string>(text: string, words: readonly Word[], name: string): Word[] {
  const parts = new Set(text.split(',').map((part) => part.trim()))
  const found = words.filter((word) => parts.has(word))
  if (found.length === parts.size) return found
  throw invalid({ path: `querystring.${name}`, code: 'NOT_WORD_LIST', params: { words } })
}

const DAY = /^\d{4}-\d{2}-\d{2}$/
const MOMENT = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d{1,9})?)?(Z|[+-]([01]\d|2[0-3]):?[0-5]\d)?$/i

/**
 * Parses `dateFrom` and `dateTo`: days of the shop's calendar, or ISO timestamps, in the shop's time without an offset.
 * @returns `from` inclusive, `until` exclusive: the end of the day or millisecond
 * @throws AppError 400 that names the invalid one
 */
export function readDateRange({ dateFrom, dateTo }: { dateFrom?: string; dateTo?: string }, timeZone: string) {
  const from = dateFrom && readMoment('dateFrom', dateFrom, timeZone)
  const to = dateTo && readMoment('dateTo', dateTo, timeZone)
  // A day on which the clocks change doesn't have 24 hours.
  const until = to && (DAY.test(dateTo) ? to.plus({ days: 1 }).startOf('day') : to.plus(1))
  return { ...(from && { from: from.toJSDate() }), ...(until && { until: until.toJSDate() }) }
}

function readMoment(name: string, written: string, timeZone: string): DateTime {
  // A plus that is not percent-encoded is decoded as a space.
  const text = written.replace(/ (?=\d{2}:?\d{2}$)/, '+')
  const moment = DateTime.fromISO(text, { zone: timeZone })
  if ((DAY.test(text) || MOMENT.test(text)) && moment.isValid && moment.year >= 1) {
    return DAY.test(text) ? moment.startOf('day') : moment
  }
  throw invalid({ path: `querystring.${name}`, code: 'NOT_MOMENT' })
}

/** Today, or a day before it, in the shop's calendar; `date` is YYYY-MM-DD. */
export function calendarDay(now: Date, timeZone: string, daysAgo = 0): { date: string; begin: Date } {
  const day = DateTime.fromJSDate(now, { zone: timeZone }).startOf('day').minus({ days: daysAgo }).startOf('day')
  return { date: day.toFormat('yyyy-MM-dd'), begin: day.toJSDate() }
}
