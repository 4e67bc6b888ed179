import { listItems } from '../../../db/queries/orders/items.ts'
import * as stock from '../../../db/queries/stock/reservations.ts'
import type { OrderItemRow, OrderRow } from '../../../db/tables/orders.ts'
import type { Deps } from '../../deps.ts'
import { isOpen, missingQuantities, type OrderStatus } from '../../rules/orders/states.ts'
import type { SettingValues } from '../../rules/settings/keys.ts'
import { productUnavailable } from '../../rules/stock/pricing.ts'
import { type UnitOfWork, write } from '../../runtime/write.ts'
import { freshSetting } from '../settings/settings.ts'

/**
 * Reserves or releases the lines of a locked order that gets another status (docs/orders.md). SENT may
 * be set by hand, whatever the stock is; what the supplier may have received stays reserved until its stock is read.
 * @throws AppError 409 PRODUCT_UNAVAILABLE if an order is reopened and the stock doesn't suffice
 */
export async function changeReservations(
  tx: UnitOfWork,
  { id, status, sent_at }: OrderRow,
  to: OrderStatus,
  backorder: boolean,
): Promise<void> {
  if (isOpen(to)) {
    const items = await listItems(tx.db, id)
    await reserveLines(tx, id, items, { wasOpen: isOpen(status), backorder })
  } else {
    const manual = to !== 'SENT' && sent_at !== null
    tx.recordChange('stock', await stock.setReserved(tx.db, [id], to === 'SENT', { manual }))
  }
}

/**
 * Reserves the lines of an order that aren't reserved yet, if the stock suffices or `backorder` allows more.
 * @param wasOpen whether the order was open before, so that its reservations have been checked against the stock
 * @throws AppError 409 PRODUCT_UNAVAILABLE
 */
export async function reserveLines(
  tx: UnitOfWork,
  orderId: number,
  items: OrderItemRow[],
  { wasOpen, backorder }: { wasOpen: boolean; backorder: boolean },
): Promise<void> {
  const unchecked = wasOpen ? items.filter((item) => !item.holding) : items
  if (unchecked.length === 0) return
  const productIds = unchecked.flatMap((item) => item.product_id ?? [])
  const missing = missingQuantities(items, await stock.lockOffers(tx.db, productIds), wasOpen)
  if (missing.length > 0 && !backorder) throw productUnavailable(missing)
  tx.recordChange('stock', await stock.setReserved(tx.db, [orderId], true))
}

/** The settings that say for how many hours; 0: for ever. */
export const HOLD_SETTINGS = ['order_hold_hours', 'order_hold_hours_unconfirmed'] as const

/**
 * Releases what NEW orders reserve that staff haven't touched for `order_hold_hours`, or since an anonymous customer placed
 * them for `order_hold_hours_unconfirmed` (docs/orders.md).
 */
export async function releaseStaleOrders(deps: Deps): Promise<void> {
  const [hours = 0, unconfirmed = 0] = await Promise.all(
    HOLD_SETTINGS.map(async (key) => Number(await freshSetting(deps, key))),
  )
  if (hours === 0 && unconfirmed === 0) return
  const ids = await write(deps, async (tx) => {
    const stale = await stock.lockStaleOrders(tx.db, { hours, unconfirmed })
    tx.recordChange('stock', await stock.setReserved(tx.db, stale, false))
    return stale
  })
  if (ids.length > 0) deps.log.info({ orders: ids.length, hours, unconfirmed }, 'stale orders released')
}

/** Whether orders may exceed the stock. */
export function allowsBackorder(settings: SettingValues): boolean {
  return settings.order_allow_backorder === 'true'
}
