import { invalid } from '../errors.ts'

/** The largest amount of numeric(12,2), in hundredths. */
const LARGEST = 999_999_999_999n
/** The same as JSON has it. */
export const MAX_AMOUNT = Number(decimalOfMinor(LARGEST))

/**
 * A JSON number as decimal text with two places, rounded half up, without passing through binary arithmetic.
 * @param value zero or above
 * @returns null beyond numeric(12,2)
 */
export function decimalOf(value: number): string | null {
  if (value > 1e10) return null
  // Below 1e-6 JavaScript writes an exponent; that is nothing in money.
  const [whole = '0', fraction = ''] = value < 1e-6 ? [] : String(value).split('.')
  const cut = BigInt(whole + fraction.slice(0, 2).padEnd(2, '0'))
  const minor = Number(fraction[2] ?? 0) >= 5 ? cut + 1n : cut
  return minor > LARGEST ? null : decimalOfMinor(minor)
}

/** Hundredths as decimal text: 1234n is `12.34`. */
export function decimalOfMinor(minor: bigint): string {
  const digits = String(minor).padStart(3, '0')
  return `${digits.slice(0, -2)}.${digits.slice(-2)}`
}

/** The nearest hundredths below and above a JSON number, zero or above: what a limit of prices comes to. */
export function minorAround(value: number): { floor: number; ceil: number } {
  const [whole = '0', fraction = ''] = value < 1e-6 ? ['0', value > 0 ? '001' : ''] : String(value).split('.')
  const floor = Number(whole + fraction.slice(0, 2).padEnd(2, '0'))
  return { floor, ceil: Number(fraction.slice(2)) > 0 ? floor + 1 : floor }
}

/** Decimal text with two places, as numeric(12,2) comes, in hundredths: `12.34` is 1234n. */
export function minorOf(decimal: string): bigint {
  return BigInt(decimal.replace('.', ''))
}

/** Whether hundredths, zero or above, fit into numeric(12,2). */
export function fitsMoney(minor: bigint): boolean {
  return minor <= LARGEST
}

/** Hundredths as JSON has them; up to fifteen digits a number prints back exactly. */
export function amountOf(minor: bigint): number {
  return minor < 0n ? -amountOf(-minor) : Number(decimalOfMinor(minor))
}

/**
 * An amount that somebody typed, as decimal text: it is not rounded behind their back.
 * @throws AppError 400 for more than two decimals
 */
export function exactAmount(path: string, value: number): string {
  const decimal = decimalOf(value)
  if (decimal !== null && Number(decimal) === value) return decimal
  throw invalid({ path, message: 'must have at most two decimals' })
}
