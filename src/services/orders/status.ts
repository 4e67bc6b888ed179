import type { Trx } from '../../../db/database.ts'
import { listItems } from '../../../db/queries/orders/items.ts'
import {
  insertHistory,
  keepFromSubmission,
  lockOrderRow,
  updateOrder,
} from '../../../db/queries/orders/orders.ts'
import type { OrderRow, OrderStatus } from '../../../db/tables/orders.ts'
import { conflict, notFound, stale } from '../../errors.ts'
import { holdingChange, isOpen } from '../../rules/orders/states.ts'
import { isStale, type Target } from '../../rules/versions.ts'
import type { UnitOfWork } from '../../runtime/write.ts'
import { changeHolding } from '../stock/holds.ts'
import { toOrder } from './json.ts'

/**
 * The order, locked until the transaction ends, for a change by staff. A submission, which keeps these out, locks it
 * with lockCurrent.
 * @throws AppError 404; 409 ORDER_SUBMITTING while it is being submitted to the supplier; 412 STALE
 */
export async function lockOrder(trx: Trx, target: Target): Promise<OrderRow> {
  const order = await lockOrderRow(trx, target.id)
  if (order === undefined) throw notFound('order')
  if (await keepFromSubmission(trx, target.id)) return refuseStaleOrder(trx, order, target)
  throw conflict(
    'ORDER_SUBMITTING',
    'The order is being submitted to the supplier; please repeat in a moment',
  )
}

/** For whoever holds the lock of its submission. @throws AppError 404; 412 STALE */
export async function lockForSubmission(trx: Trx, target: Target): Promise<OrderRow> {
  const order = await lockOrderRow(trx, target.id)
  if (order === undefined) throw notFound('order')
  return refuseStaleOrder(trx, order, target)
}

async function refuseStaleOrder(trx: Trx, order: OrderRow, { ifMatch }: Target): Promise<OrderRow> {
  if (!isStale(ifMatch, order.version)) return order
  throw stale(toOrder(order, await listItems(trx, [order.id]), true))
}

/** What is written down together with a state: the staff's comment, or what came of a submission. */
type StatusValues = {
  admin_comment?: string | null
  external_id?: string
  submit_error?: string | null
  sent_at?: Date | null
}

type StatusChange = {
  /** Who did it; null for the service itself. */
  actor: { id: number; name: string } | null
  /** By the database's clock, which also says when the supplier's stock was read. */
  now: Date
  /** Whether more than there is may be promised. */
  backorder: boolean
  values?: StatusValues
}

/**
 * Brings a locked order into a state, in the one place that does: its history, the time of sending, and what its
 * lines hold follow (contract section 5). A state that the order has already is no change; only `values` are written then.
 * @param order as it was locked in this transaction
 * @throws AppError 409 PRODUCT_UNAVAILABLE when it should hold again what others have taken meanwhile
 */
export async function changeOrderStatus(
  tx: UnitOfWork,
  order: OrderRow,
  to: OrderStatus,
  { actor, now, backorder, values = {} }: StatusChange,
): Promise<OrderRow> {
  tx.recordChange('order', [order.id])
  if (to === order.status) return updateOrder(tx.db, order.id, { ...values, updated_at: now })
  const change = holdingChange(to, order.sent_at !== null)
  await changeHolding(tx, order.id, change, { wasOpen: isOpen(order.status), backorder })
  await insertHistory(tx.db, {
    order_id: order.id,
    changed_at: now,
    user_id: actor?.id ?? null,
    user_name: actor?.name ?? null,
    from_status: order.status,
    to_status: to,
  })
  const sent = to === 'SENT' ? { sent_at: now } : {}
  return updateOrder(tx.db, order.id, { ...sent, ...values, status: to, updated_at: now })
}
