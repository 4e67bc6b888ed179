import { invalid } from '../../errors.ts'
import type { UnavailableFault } from '../faults/sentences.ts'
import { MAX_MINOR, minorOf } from '../money.ts'
import { type Offer, productUnavailable, unavailable, whyUnavailable } from '../stock/pricing.ts'

export const MAX_ORDER_LINES = 100

/** `index` is that of the product's first line in the request. */
export type WantedLine = { productId: number; quantity: number; index: number }

/** Sums lines of the same product (docs/orders.md). */
export function mergeLines(items: { productId: number; quantity: number }[]): WantedLine[] {
  const merged = new Map<number, WantedLine>()
  for (const [index, { productId, quantity }] of items.entries()) {
    const line = merged.get(productId) ?? { productId, quantity: 0, index }
    merged.set(productId, { ...line, quantity: line.quantity + quantity })
  }
  return [...merged.values()]
}

export type LineOffer = Offer & { id: number; external_id: string | null; name: string }

/** An order line as stored, independent of later changes to the product. */
export type PricedLine = {
  product_id: number
  product_external_id: string | null
  product_name: string
  /** Decimal text. */
  price_at_order: string
  quantity: number
}

/** `backorder` ignores the stock, `max` are the pieces of a product that the caller may order. */
type Terms = { backorder: boolean; max: number }

/**
 * Prices lines at today's prices.
 * @param pathOf path of a line in the request
 * @throws AppError 409 PRODUCT_UNAVAILABLE with a fault for each unavailable line
 */
export function priceLines(
  lines: WantedLine[],
  offers: ReadonlyMap<number, LineOffer>,
  { backorder, max }: Terms,
  pathOf = ({ index }: WantedLine) => `items.${index}`,
): PricedLine[] {
  const priced: PricedLine[] = []
  const problems: UnavailableFault[] = []
  for (const line of lines) {
    const offer = offers.get(line.productId)
    const reason = whyUnavailable(offer, line.quantity, backorder, max)
    if (reason === null && offer && offer.final_price !== null) {
      priced.push({
        product_id: offer.id,
        product_external_id: offer.external_id,
        product_name: offer.name,
        price_at_order: offer.final_price,
        quantity: line.quantity,
      })
    } else {
      const available = offer?.active ? Math.min(offer.available_quantity, max) : 0
      problems.push(unavailable(pathOf(line), reason ?? 'NO_PRICE', available))
    }
  }
  if (problems.length > 0) throw productUnavailable(problems)
  return priced
}

/** Sums lines, in hundredths. */
export function sumOfLines(lines: Pick<PricedLine, 'price_at_order' | 'quantity'>[]): bigint {
  return lines.reduce((sum, line) => sum + minorOf(line.price_at_order) * BigInt(line.quantity), 0n)
}

/**
 * @param items hundredths
 * @param deliveryCost decimal text
 * @throws AppError 400 when the total of an order can't be stored
 */
export function checkTotal(path: string, items: bigint, deliveryCost: string): void {
  const total = items + minorOf(deliveryCost)
  if (total > MAX_MINOR) throw invalid({ path, code: 'TOTAL_TOO_LARGE' })
}
