import { listItems } from '../../../db/queries/orders/items.ts'
import { releaseHandMade, setHolding } from '../../../db/queries/stock/holds.ts'
import type { OrderItemRow } from '../../../db/tables/orders.ts'
import { type HoldingChange, missingQuantities } from '../../rules/orders/states.ts'
import { productUnavailable } from '../../rules/stock/pricing.ts'
import type { UnitOfWork } from '../../runtime/write.ts'
import { lockOffers } from './offers.ts'

type Finding = {
  /** Whether the order was open before: what it holds then it has found already. */
  wasOpen: boolean
  /** Whether more than there is may be promised. */
  backorder: boolean
}

/**
 * Makes the lines of a locked order hold or let go, as its change of state wants.
 * @throws AppError 409 PRODUCT_UNAVAILABLE when they should hold what others have taken meanwhile
 */
export async function changeHolding(
  tx: UnitOfWork,
  orderId: number,
  change: HoldingChange,
  finding: Finding,
): Promise<void> {
  if (change === 'FIND') return findQuantities(tx, orderId, await listItems(tx.db, [orderId]), finding)
  if (change === 'KEEP_SENT') return tx.recordChange('stock', await releaseHandMade(tx.db, orderId))
  tx.recordChange('stock', await setHolding(tx.db, [orderId], change === 'TAKE'))
}

/**
 * Makes the lines of an order hold; they must find their quantities as a new order would.
 * @throws AppError 409 PRODUCT_UNAVAILABLE
 */
export async function findQuantities(
  tx: UnitOfWork,
  orderId: number,
  items: OrderItemRow[],
  { wasOpen, backorder }: Finding,
): Promise<void> {
  const wanting = wasOpen ? items.filter((item) => !item.holding) : items
  if (wanting.length === 0) return
  const productIds = wanting.flatMap((item) => item.product_id ?? [])
  const missing = missingQuantities(items, await lockOffers(tx.db, productIds), wasOpen)
  if (missing.length > 0 && !backorder) throw productUnavailable(missing)
  tx.recordChange('stock', await setHolding(tx.db, [orderId], true))
}
