import { DateTime } from 'luxon'
import { invalid } from '../errors.ts'

/** The largest value of PostgreSQL's int, the type of every id. */
export const MAX_INT = 2_147_483_647
const MAX_IDS = 1000

/**
 * What a list of `Row` can be sorted by: each field of the wire with the columns that it means. The last one is the
 * id, so that the order is total (contract section 1, "Pages").
 */
export type SortFields<Row> = { [field: string]: readonly [...(keyof Row & string)[], 'id'] }

/** Columns, the most important first, all in one direction. */
export type Sort<Column extends string> = { columns: readonly Column[]; descending: boolean }

/**
 * Reads the `sort` of a list: `field`, `field,asc` or `field,desc`.
 * @param byDefault what counts when nothing is given
 * @throws AppError 400 that names the fields there are
 */
export function readSort<Column extends string>(
  text: string | undefined,
  fields: { readonly [field: string]: readonly Column[] },
  byDefault: string,
): Sort<Column> {
  const [field = '', direction = 'asc', ...rest] = (text || byDefault).split(',').map((part) => part.trim())
  const columns = Object.hasOwn(fields, field) ? fields[field] : undefined
  if (columns !== undefined && rest.length === 0 && /^(asc|desc)$/i.test(direction)) {
    return { columns, descending: direction.toLowerCase() === 'desc' }
  }
  const message = `must be one of ${Object.keys(fields).join(', ')}, alone or followed by ,asc or ,desc`
  throw invalid({ path: 'querystring.sort', message })
}

/**
 * Reads the `ids` of a query, or ids under another name, `1,2,3`: one to a thousand, each kept once.
 * @throws AppError 400
 */
export function readIdList(text: string, name = 'ids'): number[] {
  const parts = text.split(',').map((part) => part.trim())
  const ids = parts.map((part) => (/^\d{1,10}$/.test(part) ? Number(part) : 0))
  if (ids.length <= MAX_IDS && ids.every((id) => id >= 1 && id <= MAX_INT)) return [...new Set(ids)]
  throw invalid({
    path: `querystring.${name}`,
    message: `must be one to ${MAX_IDS} ids with commas between them`,
  })
}

const DAY = /^\d{4}-\d{2}-\d{2}$/
const MOMENT = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d{1,9})?)?(Z|[+-]\d{2}:?\d{2})?$/i

/**
 * What `dateFrom` and `dateTo` of a list include: days of the shop's calendar, or ISO timestamps, which without an
 * offset are the shop's time.
 * @returns `from` is included, `until` is not: the end of the day, or of the millisecond
 * @throws AppError 400 that names the one that is neither
 */
export function readDateRange(
  { dateFrom, dateTo }: { dateFrom?: string; dateTo?: string },
  timeZone: string,
): { from?: Date; until?: Date } {
  const from = dateFrom && readMoment('dateFrom', dateFrom, timeZone)
  const to = dateTo && readMoment('dateTo', dateTo, timeZone)
  // The next day begins where its calendar says: a day with a change of clocks hasn't 24 hours.
  const until = to && (DAY.test(dateTo) ? to.plus({ days: 1 }).startOf('day') : to.plus(1))
  return { ...(from && { from: from.toJSDate() }), ...(until && { until: until.toJSDate() }) }
}

function readMoment(name: string, written: string, timeZone: string): DateTime {
  // A plus that wasn't encoded arrives as a space.
  const text = written.replace(/ (?=\d{2}:?\d{2}$)/, '+')
  const moment = DateTime.fromISO(text, { zone: timeZone })
  if ((DAY.test(text) || MOMENT.test(text)) && moment.isValid && moment.year >= 1) {
    return DAY.test(text) ? moment.startOf('day') : moment
  }
  throw invalid({ path: `querystring.${name}`, message: 'must be a day (YYYY-MM-DD) or an ISO timestamp' })
}
