import type { Trx } from '../../../db/database.ts'
import { listItems, setHolding } from '../../../db/queries/orders/items.ts'
import {
  insertHistory,
  keepFromSubmission,
  lockOrderRow,
  updateOrder,
} from '../../../db/queries/orders/orders.ts'
import type { OrderRow, OrderStatus } from '../../../db/tables/orders.ts'
import { conflict, notFound } from '../../errors.ts'
import { holdingChange, missingQuantities } from '../../rules/orders/states.ts'
import { productUnavailable } from '../../rules/stock/pricing.ts'
import { freshConfigValue } from '../settings/settings.ts'
import { lockOffers } from '../stock/offers.ts'

/**
 * The order, locked until the transaction ends, for a change by staff. A submission locks it by itself, with
 * lockOrderRow of db/queries/orders/orders.ts.
 * @throws AppError 404; 409 ORDER_SUBMITTING while it is being submitted to the supplier
 */
export async function lockOrder(trx: Trx, id: number): Promise<OrderRow> {
  const order = await lockOrderRow(trx, id)
  if (order === undefined) throw notFound('order')
  if (await keepFromSubmission(trx, id)) return order
  throw conflict(
    'ORDER_SUBMITTING',
    'The order is being submitted to the supplier; please repeat in a moment',
  )
}

/** What a submission writes down together with the state that it led to. */
export type SubmissionValues = { external_id?: string; submit_error?: string | null; sent_at?: Date | null }

/**
 * Brings a locked order into a state, in the one place that does: its history, the time of sending, and what its
 * lines hold follow (contract section 5). What can be had of a product may change with it: only a submission needs no
 * writeTransaction that makes the catalogue stale. A state that the order has already is no change; only `values` are
 * written then.
 * @param order as it was locked in this transaction
 * @param actor who did it; null for the service itself
 * @param now by the database's clock, which also says when the supplier's stock was read
 * @throws AppError 409 PRODUCT_UNAVAILABLE when it should hold again what others have taken meanwhile
 */
export async function changeOrderStatus(
  trx: Trx,
  order: OrderRow,
  to: OrderStatus,
  actor: { id: number; name: string } | null,
  now: Date,
  values: SubmissionValues = {},
): Promise<OrderRow> {
  if (to === order.status) return updateOrder(trx, order.id, { ...values, updated_at: now })
  const change = holdingChange(to, order.sent_at !== null)
  if (change === 'HOLD') await holdAgain(trx, order.id)
  if (change === 'RELEASE') await setHolding(trx, order.id, false)
  await insertHistory(trx, {
    order_id: order.id,
    changed_at: now,
    user_id: actor?.id ?? null,
    user_name: actor?.name ?? null,
    from_status: order.status,
    to_status: to,
  })
  const sent = to === 'SENT' ? { sent_at: now } : {}
  return updateOrder(trx, order.id, { ...sent, ...values, status: to, updated_at: now })
}

/** Lines that hold already need nothing; the others must find their quantity as a new order would. */
async function holdAgain(trx: Trx, orderId: number): Promise<void> {
  const items = await listItems(trx, [orderId])
  const idle = items.filter((item) => !item.holding)
  if (idle.length === 0) return
  const productIds = idle.flatMap((item) => item.product_id ?? [])
  const missing = missingQuantities(items, await lockOffers(trx, productIds))
  if (missing.length > 0 && (await freshConfigValue({ db: trx }, 'order_allow_backorder')) !== 'true') {
    throw productUnavailable(missing)
  }
  await setHolding(trx, orderId, true)
}
