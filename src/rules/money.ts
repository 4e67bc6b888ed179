/** Maximum of numeric(12,2), in hundredths. */
export const MAX_MINOR = 999_999_999_999n
/** The same as a JSON number. */
export const MAX_AMOUNT = Number(decimalOfMinor(MAX_MINOR))

/**
 * Formats a number with two decimals, rounded half up in decimal arithmetic.
 * @param value not negative
 * @returns null beyond numeric(12,2)
 */
export function decimalOf(value: number): string | null {
  if (value > 1e10) return null
  const minor = BigInt(Math.round(inHundredths(value)))
  return minor > MAX_MINOR ? null : decimalOfMinor(minor)
}

/** Multiplies a number, not negative, by 100 without a rounding error: it moves the point in the written number. */
function inHundredths(value: number): number {
  // JavaScript writes numbers below 1e-6 with an exponent.
  return value < 1e-6 ? value * 100 : Number(`${value}e2`)
}

/** Formats hundredths: 1234n is `12.34`. */
export function decimalOfMinor(minor: bigint): string {
  const digits = String(minor).padStart(3, '0')
  return `${digits.slice(0, -2)}.${digits.slice(-2)}`
}

/** Rounds a price limit, not negative, down and up to hundredths. */
export function minorAround(value: number): { floor: number; ceil: number } {
  const minor = inHundredths(value)
  return { floor: Math.floor(minor), ceil: Math.ceil(minor) }
}

/** Parses a numeric(12,2) into hundredths: `12.34` is 1234n. */
export function minorOf(decimal: string): bigint {
  return BigInt(decimal.replace('.', ''))
}

/** Converts hundredths to a number, exactly up to fifteen digits. */
export function amountOf(minor: bigint): number {
  return minor < 0n ? -amountOf(-minor) : Number(decimalOfMinor(minor))
}

/** Converts a numeric(12,2) to a number, exactly: a double preserves fifteen digits. */
export function toAmount(decimal: string): number
export function toAmount(decimal: string | null): number | null
export function toAmount(decimal: string | null): number | null {
  return decimal === null ? null : Number(decimal)
}

/** Whether a number, not negative, has at most two decimals. */
export function isAmount(value: number): boolean {
  return Number(decimalOf(value)) === value
}

/** Reads a price as feeds write it (`1 290,50`), rounded to hundredths; null if it isn't an amount of money. */
export function priceOf(text: string | null): number | null {
  const plain = text?.replace(/\s/g, '').replace(',', '.') ?? ''
  return toAmount(/^\d{1,20}(\.\d+)?$/.test(plain) ? decimalOf(Number(plain)) : null)
}
