/** A calendar day as a number, so that the next one is one more. */
export type Day = number

const DAY_MS = 86_400_000
const PATTERN = /^(\d{4})-(\d{2})-(\d{2})$/

/** @param text `YYYY-MM-DD`; NaN for anything that is no day of the calendar */
export function dayOf(text: string): Day {
  const [, year = 0, month = 0, day = 0] = (PATTERN.exec(text) ?? []).map(Number)
  const found = firstOfMonth(year, month - 1) + day - 1
  return textOfDay(found) === text ? found : Number.NaN
}

/** `YYYY-MM-DD`; empty for what is no day. */
export function textOfDay(day: Day): string {
  return Number.isFinite(day) ? new Date(day * DAY_MS).toISOString().slice(0, 10) : ''
}

/** Months are counted on over the years; `month` is zero-based. */
export function firstOfMonth(year: number, month: number): Day {
  return Date.UTC(year, month, 1) / DAY_MS
}

export function monthOf(day: Day): { year: number; month: number; first: Day; days: number } {
  const date = new Date(day * DAY_MS)
  const [year, month] = [date.getUTCFullYear(), date.getUTCMonth()]
  const first = firstOfMonth(year, month)
  return { year, month, first, days: firstOfMonth(year, month + 1) - first }
}
