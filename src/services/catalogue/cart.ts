import { findShownOffers } from '../../../db/queries/stock/reservations.ts'
import type { Deps } from '../../deps.ts'
import { imageUrl } from '../../rules/media/urls.ts'
import { amountOf, minorOf, toAmount } from '../../rules/money.ts'
import { chosenMethod, deliveryCostOf } from '../../rules/orders/delivery.ts'
import { isOrderable, whyUnavailable } from '../../rules/stock/pricing.ts'
import type { Cart, CartLines, CartQuery } from '../../schemas/cart.ts'
import { settingValues } from '../settings/settings.ts'
import { allowsBackorder } from '../stock/reservations.ts'

/**
 * Prices the lines of a cart and says which can't be ordered (docs/catalogue.md).
 * @throws AppError 400 for a method of delivery that the shop doesn't list
 */
export async function validateCart(deps: Deps, lines: CartLines, { deliveryMethod }: CartQuery = {}): Promise<Cart> {
  const settings = await settingValues(deps)
  const method = deliveryMethod === undefined ? undefined : chosenMethod(settings.delivery_methods, deliveryMethod)
  const backorder = allowsBackorder(settings)
  const max = Number(settings.order_max_quantity)
  // Several lines of one product count together.
  const wanted = new Map<number, number>()
  for (const { productId, quantity } of lines) {
    if (isOrderable(quantity, max)) wanted.set(productId, (wanted.get(productId) ?? 0) + quantity)
  }
  const offers = await findShownOffers(deps.db, [...new Set(lines.map(({ productId }) => productId))])

  let total = 0n
  const items = lines.map(({ productId, quantity }) => {
    const offer = offers.get(productId)
    const isValid = isOrderable(quantity, max)
    const reason = whyUnavailable(offer, isValid ? (wanted.get(productId) ?? 0) : quantity, backorder, max)
    const shown = reason === 'NOT_FOUND' ? undefined : offer
    const price = shown?.final_price ?? null
    const lineTotal = price === null || !isValid ? null : minorOf(price) * BigInt(quantity)
    if (reason === null) total += lineTotal ?? 0n
    return {
      productId,
      quantity,
      name: shown?.name ?? null,
      slug: shown?.slug ?? null,
      imageUrl: shown?.image ? imageUrl(shown.image) : null,
      price: toAmount(price),
      lineTotal: lineTotal === null ? null : amountOf(lineTotal),
      available: reason === null,
      availableQuantity: Math.max(0, shown?.available_quantity ?? 0),
      reason,
    }
  })
  const delivery = deliveryCostOf(method, total)
  return {
    valid: items.every(({ available }) => available),
    total: amountOf(total + delivery),
    deliveryCost: deliveryMethod === undefined ? null : amountOf(delivery),
    items,
  }
}
