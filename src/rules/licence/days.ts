/** Days since 1970-01-01. */
export type Day = number

const DAY_MS = 86_400_000
const PATTERN = /^(\d{4})-(\d{2})-(\d{2})$/

/** @param text `YYYY-MM-DD` @returns NaN for a date that doesn't exist */
export function dayOf(text: string): Day {
  const [, year = 0, month = 0, day = 0] = (PATTERN.exec(text) ?? []).map(Number)
  const found = firstOfMonth(year, month - 1) + day - 1
  return textOfDay(found) === text ? found : Number.NaN
}

/** Formats as `YYYY-MM-DD`; empty for NaN. */
export function textOfDay(day: Day): string {
  return Number.isFinite(day) ? new Date(day * DAY_MS).toISOString().slice(0, 10) : ''
}

/** @param month zero-based; months beyond 11 run into the next years */
function firstOfMonth(year: number, month: number): Day {
  return Date.UTC(year, month, 1) / DAY_MS
}

/** The month of a day: its first day, and how many it has. */
export function monthOf(day: Day): { first: Day; days: number } {
  const date = new Date(day * DAY_MS)
  const [year, month] = [date.getUTCFullYear(), date.getUTCMonth()]
  const first = firstOfMonth(year, month)
  return { first, days: firstOfMonth(year, month + 1) - first }
}
