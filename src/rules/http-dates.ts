import { DateTime } from 'luxon'
import { isPlausibleYear } from './supplier/dates.ts'

/** Parses a `Date` header. @returns null if missing, invalid or implausible */
export function parseHttpDate(header: string | undefined): Date | null {
  // Date.parse reads the year 1 as 2001.
  const date = DateTime.fromHTTP(header ?? '', { zone: 'UTC' })
  return isPlausibleYear(date.year) ? date.toJSDate() : null
}

/**
 * Reads `Retry-After`: seconds, or a date by the clock of the answer's own `Date` (RFC 9110, section 10.2.3).
 * @returns milliseconds; null if missing or invalid
 */
export function readRetryAfter(
  { 'retry-after': value = '', date }: { 'retry-after'?: string; date?: string },
  now: Date,
): number | null {
  if (/^\d+$/.test(value)) return Number(value) * 1000
  const end = parseHttpDate(value)
  return end && Math.max(0, end.getTime() - (parseHttpDate(date) ?? now).getTime())
}
