import { type AppError, conflict, type ErrorDetail } from '../../errors.ts'

/** A product as far as buying it is concerned. */
export type Offer = {
  active: boolean
  /** Decimal text; null: no price is known. */
  finalPrice: string | null
  /** The stock less what open orders hold. */
  availableQuantity: number
}

export const CART_REASONS = ['NOT_FOUND', 'NO_PRICE', 'OUT_OF_STOCK', 'NOT_ENOUGH'] as const
export type CartReason = (typeof CART_REASONS)[number]

/** Active, priced above zero, and in stock after reservations (contract section 4). */
export function isAvailable(offer: Offer): boolean {
  return cannotBuy(offer, 1, false) === null
}

/**
 * Why so many can't be bought; null when they can (contract section 5, "Cart"). An inactive product is to the public
 * one that does not exist.
 * @param backorder more than there is may be ordered
 */
export function cannotBuy(offer: Offer | undefined, quantity: number, backorder: boolean): CartReason | null {
  if (offer === undefined || !offer.active) return 'NOT_FOUND'
  if (offer.finalPrice === null || Number(offer.finalPrice) === 0) return 'NO_PRICE'
  if (backorder || quantity <= offer.availableQuantity) return null
  return offer.availableQuantity > 0 ? 'NOT_ENOUGH' : 'OUT_OF_STOCK'
}

/**
 * A detail of PRODUCT_UNAVAILABLE (contract section 1).
 * @param path of the line in what was sent
 * @param available below zero when more was promised than there is
 */
export function unavailable(path: string, reason: CartReason, available: number): ErrorDetail {
  const availableQuantity = Math.max(0, available)
  return { path, message: `${reason}: ${availableQuantity} available`, reason, availableQuantity }
}

/** 409 with a detail for each line that can't be had (contract sections 1 and 5). */
export function productUnavailable(details: ErrorDetail[]): AppError {
  return conflict('PRODUCT_UNAVAILABLE', 'Some products are not available in the wanted quantity', {
    details,
  })
}
