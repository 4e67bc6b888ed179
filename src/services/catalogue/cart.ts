import { findOffers } from '../../../db/queries/stock/availability.ts'
import type { Deps } from '../../deps.ts'
import { amountOf, minorOf } from '../../rules/money.ts'
import { whyUnavailable } from '../../rules/stock/pricing.ts'
import type { Cart, CartLines } from '../../schemas/cart.ts'
import { allowsBackorder } from '../stock/offers.ts'

/**
 * Prices cart lines and checks their availability (contract section 5, "Cart"). Quantities of one product on several
 * lines are summed; the total includes available lines only.
 */
export async function validateCart(deps: Pick<Deps, 'db' | 'cached'>, lines: CartLines): Promise<Cart> {
  const wanted = new Map<number, number>()
  for (const { productId, quantity } of lines) wanted.set(productId, (wanted.get(productId) ?? 0) + quantity)
  const rows = await findOffers(deps.db, [...wanted.keys()])
  const offers = new Map(rows.map((row) => [row.id, row]))
  const backorder = await allowsBackorder(deps)

  let total = 0n
  const items = lines.map(({ productId, quantity }) => {
    const offer = offers.get(productId)
    const reason = whyUnavailable(offer, wanted.get(productId) ?? quantity, backorder)
    const shown = reason === 'NOT_FOUND' ? undefined : offer
    const price = shown?.final_price ?? null
    const lineTotal = price === null ? null : minorOf(price) * BigInt(quantity)
    if (reason === null) total += lineTotal ?? 0n
    return {
      productId,
      quantity,
      name: shown?.name ?? null,
      price: price === null ? null : Number(price),
      lineTotal: lineTotal === null ? null : amountOf(lineTotal),
      available: reason === null,
      availableQuantity: Math.max(0, shown?.available_quantity ?? 0),
      reason,
    }
  })
  return { valid: items.every(({ available }) => available), total: amountOf(total), items }
}
