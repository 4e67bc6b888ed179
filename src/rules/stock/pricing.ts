import { type AppError, conflict } from '../../errors.ts'
import type { UnavailableFault } from '../faults/sentences.ts'

/** Price and availability of a product. */
export type Offer = {
  active: boolean
  /** Decimal text; null if unknown. */
  final_price: string | null
  /** Stock minus reservations. */
  available_quantity: number
}

/** Of one product in an order. */
export const MAX_QUANTITY = 9999

export const CART_REASONS = ['NOT_FOUND', 'NO_PRICE', 'INVALID_QUANTITY', 'OUT_OF_STOCK', 'NOT_ENOUGH'] as const
export type CartReason = (typeof CART_REASONS)[number]

/** Whether a product is active, priced above zero, and in stock after reservations (docs/catalogue.md). */
export function isAvailable(offer: Offer): boolean {
  return whyUnavailable(offer, 1, false) === null
}

/**
 * Why this quantity can't be ordered, null if it can (docs/catalogue.md).
 * @param backorder ignores the stock
 * @param max of the pieces, whatever the stock is
 */
export function whyUnavailable(
  offer: Offer | undefined,
  quantity: number,
  backorder: boolean,
  max = MAX_QUANTITY,
): CartReason | null {
  if (offer === undefined || !offer.active) return 'NOT_FOUND'
  if (offer.final_price === null || Number(offer.final_price) === 0) return 'NO_PRICE'
  if (!isOrderable(quantity, max)) return 'INVALID_QUANTITY'
  if (backorder || quantity <= offer.available_quantity) return null
  return offer.available_quantity > 0 ? 'NOT_ENOUGH' : 'OUT_OF_STOCK'
}

/** Whether an order may have this quantity of a product that is in stock. */
export function isOrderable(quantity: number, max: number): boolean {
  return quantity >= 1 && quantity <= max
}

/** A fault of PRODUCT_UNAVAILABLE about the line at the path. @param available negative after backorders */
export function unavailable(path: string, reason: CartReason, available: number): UnavailableFault {
  return { path, code: reason, params: { availableQuantity: Math.max(0, available) } }
}

/** 409 with a fault for each unavailable line (docs/http.md). */
export function productUnavailable(faults: UnavailableFault[]): AppError {
  return conflict('PRODUCT_UNAVAILABLE', 'Some products are not available in this quantity', { faults })
}
