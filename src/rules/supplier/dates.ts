import { DateTime } from 'luxon'

const FORMAT = 'dd.MM.yyyy HH:mm:ss.SSS'
const HOUR_MS = 3_600_000

const PATTERN = /^(\d\d)\.(\d\d)\.(\d{4}) (\d\d):(\d\d):(\d\d)\.(\d{3})$/
/** Start of a date, with a year of any length. */
const DAY = /^\s*\d\d?\.\d\d?\.(\d+)(?!\d)/

/**
 * Parses the supplier's format.
 * @returns null for an invalid date or a year outside 1900 to 2999
 */
export function parseSupplierDate(text: string, timeZone: string): Date | null {
  const [, day, month, year, hour, minute, second, millisecond] = (PATTERN.exec(text) ?? []).map(Number)
  if (year === undefined || hour === 24 || !isPlausibleYear(year)) return null
  // Ten times faster than luxon's fromFormat.
  const date = DateTime.fromObject({ year, month, day, hour, minute, second, millisecond }, { zone: timeZone })
  return date.isValid ? date.toJSDate() : null
}

/** Whether a text stands for no date: blank, an implausible year (`01.01.0001`) or control characters. */
export function meansNoDate(text: string): boolean {
  if (text.trim() === '' || /\p{Cc}/u.test(text)) return true
  const [, year] = DAY.exec(text) ?? []
  return year !== undefined && !isPlausibleYear(Number(year))
}

/** Other years are of a clock that was never set. */
export function isPlausibleYear(year: number): boolean {
  return year >= 1900 && year <= 2999
}

/**
 * Formats the `dateFrom` that asks for all changes since `instant`. When the clocks go back, local times are ambiguous for
 * an hour; the hour before is then included: a record sent twice does no harm, a missed one does.
 */
export function formatDateFrom(instant: Date, timeZone: string): string {
  let from = DateTime.fromJSDate(instant, { zone: timeZone })
  while (from.getPossibleOffsets().length > 1) from = from.minus(HOUR_MS)
  return from.toFormat(FORMAT, { locale: 'en' })
}
