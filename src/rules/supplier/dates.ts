import { DateTime } from 'luxon'

const FORMAT = 'dd.MM.yyyy HH:mm:ss.SSS'
const HOUR_MS = 3_600_000

const PATTERN = /^(\d\d)\.(\d\d)\.(\d{4}) (\d\d):(\d\d):(\d\d)\.(\d{3})$/
/** The beginning of a date, with a year of any length. */
const DAY = /^\s*\d\d?\.\d\d?\.(\d+)(?!\d)/

/**
 * A date as the supplier writes it (specification, "Supplier synchronisation behaviour" 6).
 * @returns null for anything that is no such date, years outside 1900 to 2999 included
 */
export function parseSupplierDate(text: string, timeZone: string): Date | null {
  const [, day, month, year, hour, minute, second, millisecond] = (PATTERN.exec(text) ?? []).map(Number)
  if (year === undefined || hour === 24 || !isPlausibleYear(year)) return null
  // Ten times faster than luxon's fromFormat, and a full load reads tens of thousands.
  const date = DateTime.fromObject(
    { year, month, day, hour, minute, second, millisecond },
    { zone: timeZone },
  )
  return date.isValid ? date.toJSDate() : null
}

/**
 * Whether a text is the supplier's way to say that there is no date: blank, a year that no record has (`01.01.0001`),
 * or no text at all but control characters.
 */
export function meansNoDate(text: string): boolean {
  if (text.trim() === '' || /\p{Cc}/u.test(text)) return true
  const [, year] = DAY.exec(text) ?? []
  return year !== undefined && !isPlausibleYear(Number(year))
}

/** The time that an answer's `Date` header tells; null when it tells none that could be. */
export function parseHttpDate(header: string | undefined): Date | null {
  // Date.parse reads the year 1 as 2001.
  const date = DateTime.fromHTTP(header ?? '', { zone: 'UTC' })
  return isPlausibleYear(date.year) ? date.toJSDate() : null
}

/** Not of NaN either. */
function isPlausibleYear(year: number): boolean {
  return year >= 1900 && year <= 2999
}

/**
 * The `dateFrom` that asks for everything changed since `instant`. When the clocks go back an hour is written twice
 * and the supplier can't tell which one is meant; then the hour before it is asked for too: a record sent twice does
 * no harm, a missed one does.
 */
export function formatDateFrom(instant: Date, timeZone: string): string {
  let from = DateTime.fromJSDate(instant, { zone: timeZone })
  while (from.getPossibleOffsets().length > 1) from = from.minus(HOUR_MS)
  return from.toFormat(FORMAT, { locale: 'en' })
}
