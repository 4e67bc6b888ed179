import type { ErrorDetail } from '../../errors.ts'
import { minorOf } from '../money.ts'
import { cannotBuy, type Offer, productUnavailable, unavailable } from '../stock/pricing.ts'

export const MAX_ORDER_LINES = 100
export const MAX_QUANTITY = 9999

export type WantedLine = {
  productId: number
  quantity: number
  /** Where the product stands first in what was sent. */
  index: number
}

/**
 * The same product twice is summed, where it stood first (contract section 5).
 * @returns also what is wrong: sums beyond the limit of a line
 */
export function mergeLines(items: { productId: number; quantity: number }[]): {
  lines: WantedLine[]
  problems: ErrorDetail[]
} {
  const lines = new Map<number, WantedLine>()
  for (const [index, { productId, quantity }] of items.entries()) {
    const line = lines.get(productId) ?? { productId, quantity: 0, index }
    lines.set(productId, { ...line, quantity: line.quantity + quantity })
  }
  const merged = [...lines.values()]
  const problems = merged
    .filter(({ quantity }) => quantity > MAX_QUANTITY)
    .map(({ index }) => ({
      path: `items.${index}.quantity`,
      message: `must add up to at most ${MAX_QUANTITY}`,
    }))
  return { lines: merged, problems }
}

/** A product as it can be had now: what a line of an order is made of. */
export type LineOffer = Offer & { id: number; externalId: string | null; name: string }

/** A line as it is written down: nothing of it changes with the catalogue. */
export type PricedLine = {
  productId: number
  externalId: string | null
  name: string
  /** Decimal text. */
  price: string
  quantity: number
}

/**
 * The lines at today's prices.
 * @param pathOf where the line stands in what was sent
 * @throws AppError 409 PRODUCT_UNAVAILABLE that names every line that can't be had
 */
export function priceLines(
  lines: WantedLine[],
  offers: ReadonlyMap<number, LineOffer>,
  backorder: boolean,
  pathOf = ({ index }: WantedLine) => `items.${index}`,
): PricedLine[] {
  const priced: PricedLine[] = []
  const problems: ErrorDetail[] = []
  for (const line of lines) {
    const offer = offers.get(line.productId)
    const reason = cannotBuy(offer, line.quantity, backorder)
    if (reason === null && offer && offer.finalPrice !== null) {
      const { id, externalId, name, finalPrice } = offer
      priced.push({ productId: id, externalId, name, price: finalPrice, quantity: line.quantity })
    } else {
      const available = offer?.active ? offer.availableQuantity : 0
      problems.push(unavailable(pathOf(line), reason ?? 'NO_PRICE', available))
    }
  }
  if (problems.length > 0) throw productUnavailable(problems)
  return priced
}

/** Hundredths of the lines' sum. */
export function sumOfLines(lines: { price: string; quantity: number }[]): bigint {
  return lines.reduce((sum, { price, quantity }) => sum + minorOf(price) * BigInt(quantity), 0n)
}
