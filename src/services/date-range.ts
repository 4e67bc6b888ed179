import { invalid } from '../errors.ts'
import { endMoment, firstMoment } from '../rules/date-range.ts'

/**
 * What `dateFrom` and `dateTo` of a list include.
 * @throws AppError 400 that names the one that is no date
 */
export function readDateRange(
  { dateFrom, dateTo }: { dateFrom?: string; dateTo?: string },
  timeZone: string,
): { from?: Date; until?: Date } {
  const from = readMoment('dateFrom', dateFrom, (text) => firstMoment(text, timeZone))
  const until = readMoment('dateTo', dateTo, (text) => endMoment(text, timeZone))
  return { ...(from && { from }), ...(until && { until }) }
}

function readMoment(
  name: string,
  text: string | undefined,
  read: (text: string) => Date | null,
): Date | undefined {
  if (text === undefined || text === '') return undefined
  const moment = read(text)
  if (moment !== null) return moment
  throw invalid({ path: `querystring.${name}`, message: 'must be a day (YYYY-MM-DD) or an ISO timestamp' })
}
