import { listItems } from '../../../db/queries/orders/items.ts'
import { setHolding } from '../../../db/queries/stock/holds.ts'
import { missingQuantities } from '../../rules/orders/states.ts'
import { productUnavailable } from '../../rules/stock/pricing.ts'
import type { UnitOfWork } from '../../runtime/write.ts'
import { lockOffers } from './offers.ts'

/** The lines of an order let go of their quantities. */
export async function release(tx: UnitOfWork, orderId: number): Promise<void> {
  tx.changed('stock', await setHolding(tx.db, orderId, false))
}

/**
 * Lines that hold already need nothing; the others must find their quantity as a new order would.
 * @param backorder whether more than there is may be promised
 * @throws AppError 409 PRODUCT_UNAVAILABLE when others have taken it meanwhile
 */
export async function holdAgain(tx: UnitOfWork, orderId: number, backorder: boolean): Promise<void> {
  const items = await listItems(tx.db, [orderId])
  const idle = items.filter((item) => !item.holding)
  if (idle.length === 0) return
  const productIds = idle.flatMap((item) => item.product_id ?? [])
  const missing = missingQuantities(items, await lockOffers(tx.db, productIds))
  if (missing.length > 0 && !backorder) throw productUnavailable(missing)
  tx.changed('stock', await setHolding(tx.db, orderId, true))
}
