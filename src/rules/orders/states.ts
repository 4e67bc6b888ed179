import type { ErrorDetail } from '../../errors.ts'
import { normalise } from '../catalogue/search.ts'
import { unavailable } from '../stock/pricing.ts'

/** Specification, "Order states". */
export const ORDER_STATUSES = [
  'NEW',
  'PROCESSING',
  'SENT',
  'ERROR',
  'CANCELLED',
  'COMPLETED',
  'ARCHIVED',
] as const
export type OrderStatus = (typeof ORDER_STATUSES)[number]

/** In these the order holds its quantities, and its items can be changed (contract section 5). */
const OPEN: readonly OrderStatus[] = ['NEW', 'PROCESSING', 'ERROR']

/** Whether staff may add and remove items, and submit the order. */
export function isOpen(status: OrderStatus): boolean {
  return OPEN.includes(status)
}

/**
 * What a change of state does to the quantities that an order's lines hold: FIND, they hold what must be there; TAKE,
 * they hold whatever there is; KEEP_SENT, those that the supplier may have been sent go on as they are; RELEASE.
 */
export type HoldingChange = 'FIND' | 'TAKE' | 'KEEP_SENT' | 'RELEASE'

/**
 * An open order holds all its lines. What is SENT may have been sent by hand: a fact, whatever there was. What the
 * supplier may have been sent goes on holding until his stock was read again, in whatever state the order is by then:
 * his figure doesn't know of it before. Everything else lets go (contract section 5, "Availability").
 */
export function holdingChange(to: OrderStatus, supplierMayHave: boolean): HoldingChange {
  if (isOpen(to)) return 'FIND'
  if (to === 'SENT') return 'TAKE'
  return supplierMayHave ? 'KEEP_SENT' : 'RELEASE'
}

type Line = { product_id: number | null; quantity: number; holding: boolean }

/**
 * The lines of an order that can't have their quantities, for the answer; several of one product must be there in
 * their sum. Neither price nor visibility matters any more: the order was placed when they were right.
 * @param lines all of the order, in their order
 * @param offers by product id; none for a product that was deleted
 * @param wasOpen lines that hold already need nothing then; else they may have taken what wasn't there, and must find
 *   it like the others. Of a product that was deleted nobody else takes any.
 */
export function missingQuantities(
  lines: Line[],
  offers: ReadonlyMap<number, { availableQuantity: number }>,
  wasOpen: boolean,
): ErrorDetail[] {
  const needs = (line: Line) => !line.holding || (!wasOpen && line.product_id !== null)
  const wanted = sumByProduct(lines.filter(needs))
  const own = sumByProduct(lines.filter((line) => line.holding && needs(line)))
  return lines.flatMap((line, index) => {
    if (!needs(line)) return []
    const offer = line.product_id === null ? undefined : offers.get(line.product_id)
    const available = Math.max(0, (offer?.availableQuantity ?? 0) + (own.get(line.product_id) ?? 0))
    if (offer !== undefined && (wanted.get(line.product_id) ?? 0) <= available) return []
    const reason = offer === undefined ? 'NOT_FOUND' : available > 0 ? 'NOT_ENOUGH' : 'OUT_OF_STOCK'
    return [unavailable(`items.${index}`, reason, available)]
  })
}

function sumByProduct(lines: Line[]): Map<number | null, number> {
  const sums = new Map<number | null, number>()
  for (const { product_id, quantity } of lines) sums.set(product_id, (sums.get(product_id) ?? 0) + quantity)
  return sums
}

/**
 * What to look for in an order's `search_text`, any of them: the words as they are, and where they look like a phone,
 * its digits alone. None when the search is blank.
 */
export function searchTexts(text: string): string[] {
  const words = normalise(text.trim())
  if (words === '') return []
  const digits = words.replace(/\D/g, '')
  const isPhone = digits.length >= 3 && /^[+()\d\s.\-/]+$/.test(words)
  return isPhone && digits !== words ? [words, digits] : [words]
}
