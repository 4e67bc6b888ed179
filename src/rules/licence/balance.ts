import { type Day, firstOfMonth, monthOf } from './days.ts'

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
/** Money that lasts beyond four-digit years never runs out. */
const LAST_DAY = firstOfMonth(10_000, 0) - 1

/**
 * Sums the cost of all days up to `until`; a day costs the monthly total divided by the days of its month (contract
 * section 10).
 * @returns hundredths, rounded half up once, at the end
 */
export function spentUntil(periods: PricePeriod[], until: Day): bigint {
  const parts = periods.reduce(
    (sum, { start, end, total }) => sum + costOf(total, start, earlier(end, until)),
    0n,
  )
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
  for (const { start, end, total } of periods.toSorted((a, b) => a.start - b.start)) {
    if (end === null && total === 0n) return null
    const cost = costOf(total, start, end ?? LAST_DAY)
    if (cost > left) return lastCovered(total, start, left)
    left -= cost
  }
  return null
}

/** @returns the monthly total on a day; null when no price applies */
export function monthlyTotal(periods: PricePeriod[], day: Day): bigint | null {
  return periods.find(({ start, end }) => start <= day && day <= (end ?? LAST_DAY))?.total ?? null
}

/** @returns the cost of the days from `start` to `end`, inclusive, in parts */
function costOf(total: bigint, start: Day, end: Day): bigint {
  if (end < start) return 0n
  const [first, last] = [monthOf(start), monthOf(end)]
  if (first.first === last.first) return dayCost(total, first.days) * BigInt(end - start + 1)
  const months = (last.year - first.year) * 12 + last.month - first.month - 1
  return (
    dayCost(total, first.days) * BigInt(first.first + first.days - start) +
    total * PARTS * BigInt(months) +
    dayCost(total, last.days) * BigInt(end - last.first + 1)
  )
}

/** @param left parts, fewer than the cost of all days from `start` on */
function lastCovered(total: bigint, start: Day, left: bigint): Day {
  const { year, month, first, days } = monthOf(start)
  const rest = BigInt(first + days - start)
  const cost = dayCost(total, days)
  if (left < cost * rest) return start + Number(left / cost) - 1
  const behind = left - cost * rest
  const next = firstOfMonth(year, month + 1 + Number(behind / (total * PARTS)))
  return next + Number((behind % (total * PARTS)) / dayCost(total, monthOf(next).days)) - 1
}

function dayCost(total: bigint, daysOfMonth: number): bigint {
  return (total * PARTS) / BigInt(daysOfMonth)
}

function earlier(end: Day | null, until: Day): Day {
  return end === null ? until : Math.min(end, until)
}
