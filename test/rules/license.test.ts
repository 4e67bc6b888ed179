import fc from 'fast-check'
import { DateTime } from 'luxon'
import { expect, test } from 'vitest'
import { dayOf, monthlyTotal, type PricePeriod, paidUntil, spentUntil, textOfDay } from '../../src/rules/license.ts'

const period = (start: string, end: string | null, total: bigint): PricePeriod => ({
  start: dayOf(start),
  end: end === null ? null : dayOf(end),
  total,
})
const spent = (periods: PricePeriod[], until: string) => spentUntil(periods, dayOf(until))
const paid = (periods: PricePeriod[], toppedUp: bigint) => {
  const last = paidUntil(periods, toppedUp)
  return last === null ? null : textOfDay(last)
}

test('charges the monthly total for a month of any length', () => {
  const periods = [period('2027-01-01', null, 10_001n)]
  expect(spent(periods, '2027-01-31')).toBe(10_001n)
  expect(spent(periods, '2027-02-28')).toBe(20_002n)
  expect(spent([period('2028-02-01', null, 10_001n)], '2028-02-29')).toBe(10_001n)
  expect(spent(periods, '2026-12-31')).toBe(0n)
})

test('charges days as shares of their month, rounded once', () => {
  const thirds = [period('2027-01-01', '2027-01-01', 100n), period('2027-01-02', '2027-01-02', 100n)]
  // Each day is 3.2258…; rounded day by day they would be 6.
  expect(spent([...thirds, period('2027-01-03', '2027-01-03', 100n)], '2027-12-31')).toBe(10n)
  expect(spent([period('2027-01-01', null, 31n)], '2027-01-15')).toBe(15n)
  // 15.5 hundredths: half is up.
  expect(spent([period('2027-04-01', null, 31n)], '2027-04-15')).toBe(16n)
})

test('charges months of any year', () => {
  expect(spent([period('0001-01-01', '0004-12-31', 100n)], '2027-01-01')).toBe(4800n)
  expect(paid([period('0004-02-01', null, 2900n)], 2900n)).toBe('0004-02-29')
  expect(spent([period('9999-01-01', '9999-12-31', 100n)], '2027-01-01')).toBe(0n)
})

test('finds the last day that the money fully covers', () => {
  const periods = [period('2027-01-01', null, 3100n)]
  expect(paid(periods, 3100n)).toBe('2027-01-31')
  expect(paid(periods, 3099n)).toBe('2027-01-30')
  expect(paid(periods, 6200n)).toBe('2027-02-28')
  expect(paid(periods, 99n)).toBe('2026-12-31')
  expect(paid(periods, 0n)).toBe('2026-12-31')
  expect(paid([period('2027-01-16', null, 3100n)], 3100n)).toBe('2027-02-13')
})

test('returns null without a price, with a free one, and beyond the last period', () => {
  expect(paid([], 100n)).toBeNull()
  expect(paid([period('2027-01-01', null, 0n)], 0n)).toBeNull()
  expect(paid([period('2027-01-01', '2027-01-31', 3100n)], 3100n)).toBeNull()
  expect(paid([period('2027-01-01', '2027-01-31', 3100n)], 3099n)).toBe('2027-01-30')
  expect(paid([period('2027-01-01', null, 1n)], 10n ** 18n)).toBeNull()
})

test('charges nothing for a gap between periods', () => {
  const periods = [period('2027-01-01', '2027-01-31', 3100n), period('2027-03-01', null, 3100n)]
  expect(paid(periods, 3100n)).toBe('2027-02-28')
  expect(monthlyTotal(periods, dayOf('2027-02-15'))).toBeNull()
  expect(monthlyTotal(periods, dayOf('2027-03-01'))).toBe(3100n)
})

/** A reference model that counts day by day, in parts that the length of any month divides. */
function model(periods: PricePeriod[], until: number, toppedUp: bigint) {
  const whole = 28n * 29n * 30n * 31n
  const first = Math.min(...periods.map(({ start }) => start))
  let parts = 0n
  let spentParts = 0n
  let covered = first - 1
  let enough = true
  const horizon = Math.max(until, ...periods.map(({ start, end }) => end ?? start + 40_000))
  for (let day = first; day <= horizon; day++) {
    const holding = periods.find(({ start, end }) => start <= day && (end === null || day <= end))
    parts += ((holding?.total ?? 0n) * whole) / BigInt(DateTime.fromISO(textOfDay(day)).daysInMonth ?? 0)
    if (day <= until) spentParts = parts
    if (enough && parts <= toppedUp * whole) covered = day
    else enough = false
  }
  const rounded = spentParts / whole + ((spentParts % whole) * 2n >= whole ? 1n : 0n)
  return { spent: rounded, paidUntil: enough ? null : covered }
}

const history = fc
  .record({
    start: fc.integer({ min: dayOf('1999-01-01'), max: dayOf('2030-12-31') }),
    lengths: fc.array(fc.tuple(fc.integer({ min: 1, max: 900 }), fc.integer({ min: 0, max: 60 })), {
      maxLength: 5,
    }),
    totals: fc.array(fc.bigInt({ min: 0n, max: 500_000n }), { minLength: 6, maxLength: 6 }),
    open: fc.boolean(),
  })
  .map(({ start, lengths, totals, open }) => {
    const periods: PricePeriod[] = []
    let next = start
    for (const [index, [length, gap]] of lengths.entries()) {
      periods.push({ start: next, end: next + length - 1, total: totals[index] ?? 0n })
      next += length + gap
    }
    // Expensive enough for the money to run out within the model's horizon.
    if (open || periods.length === 0) periods.push({ start: next, end: null, total: 1000n + (totals[5] ?? 0n) })
    return periods
  })

test('agrees with counting day by day, across months, leap years and price changes', () => {
  fc.assert(
    fc.property(
      history,
      fc.integer({ min: -40, max: 4000 }),
      fc.bigInt({ min: 0n, max: 1_000_000n }),
      (periods, days, toppedUp) => {
        const until = (periods[0]?.start ?? 0) + days
        const expected = model(periods, until, toppedUp)
        expect(spentUntil(periods.toReversed(), until)).toBe(days < 0 ? 0n : expected.spent)
        expect(paidUntil(periods.toReversed(), toppedUp)).toBe(expected.paidUntil)
      },
    ),
    { numRuns: 12 },
  )
})
