import { DateTime } from 'luxon'

const FORMAT = 'dd.MM.yyyy HH:mm:ss.SSS'
const HOUR_MS = 3_600_000

const PATTERN = /^(\d\d)\.(\d\d)\.(\d{4}) (\d\d):(\d\d):(\d\d)\.(\d{3})$/

/**
 * A date as the supplier writes it (specification, "Supplier synchronisation behaviour" 6).
 * @returns null for anything that is no such date
 */
export function parseSupplierDate(text: string, timeZone: string): Date | null {
  const [, day, month, year, hour, minute, second, millisecond] = (PATTERN.exec(text) ?? []).map(Number)
  if (year === undefined || hour === 24) return null
  // Ten times faster than luxon's fromFormat, and a full load reads tens of thousands.
  const date = DateTime.fromObject(
    { year, month, day, hour, minute, second, millisecond },
    { zone: timeZone },
  )
  return date.isValid ? date.toJSDate() : null
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
