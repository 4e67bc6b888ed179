/** Of a day, YYYY-MM-DD: prices begin and end in the years 1000 to 2999. */
export const LICENCE_DAY = '^[12]'

/** Days since 1970-01-01. */
export type Day = number

const DAY_MS = 86_400_000

/** @param text `YYYY-MM-DD` */
export function dayOf(text: string): Day {
  return Date.parse(text) / DAY_MS
}

/** Formats as `YYYY-MM-DD`. */
export function textOfDay(day: Day): string {
  return new Date(day * DAY_MS).toISOString().slice(0, 10)
}

/** A monthly price and the days on which it applies. */
export type PricePeriod = {
  start: Day
  /** Inclusive; null: open-ended. */
  end: Day | null
  /** Hundredths a month. */
  total: bigint
}

/** Parts of a hundredth: with this many, a day of any month costs a whole number of parts. */
const PARTS = 28n * 29n * 15n * 31n
/** Money that lasts longer never runs out. */
const LAST_DAY = dayOf('2999-12-31')

/**
 * Sums the cost of all days up to `until`; a day costs the monthly total divided by the days of its month
 * (docs/content.md).
 * @returns hundredths, rounded half up once, at the end
 */
export function spentUntil(periods: PricePeriod[], until: Day): bigint {
  const charges = periods.flatMap((period) => [...chargesOf(period, until)])
  const parts = charges.reduce((sum, { dayCost, days }) => sum + dayCost * BigInt(days), 0n)
  return (2n * parts + PARTS) / (2n * PARTS)
}

/**
 * Finds the last day that the money fully covers; days without a price cost nothing.
 * @param toppedUp hundredths
 * @returns null when there is no price or the money never runs out; the day before the first period when the money
 * doesn't cover a single day
 */
export function paidUntil(periods: PricePeriod[], toppedUp: bigint): Day | null {
  let left = toppedUp * PARTS
  for (const period of periods.toSorted((a, b) => a.start - b.start)) {
    for (const { start, days, dayCost } of chargesOf(period, LAST_DAY)) {
      const cost = dayCost * BigInt(days)
      if (cost > left) return start + Number(left / dayCost) - 1
      left -= cost
    }
  }
  return null
}

/** @returns the monthly total on a day; null when no price applies */
export function monthlyTotal(periods: PricePeriod[], day: Day): bigint | null {
  return periods.find(({ start, end }) => start <= day && day <= (end ?? LAST_DAY))?.total ?? null
}

/** The days of a period up to `until`, month by month; the cost of a day is in parts. */
function* chargesOf({ start, end, total }: PricePeriod, until: Day) {
  const last = Math.min(end ?? until, until)
  for (let day = start; day <= last; ) {
    const date = new Date(day * DAY_MS)
    const lengthOfMonth = new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 0)).getUTCDate()
    const days = Math.min(lengthOfMonth - date.getUTCDate(), last - day) + 1
    yield { start: day, days, dayCost: (total * PARTS) / BigInt(lengthOfMonth) }
    day += days
  }
}
