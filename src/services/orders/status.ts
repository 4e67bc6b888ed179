import type { Trx } from '../../../db/database.ts'
import {
  insertHistory,
  keepFromSubmission,
  lockOrderRow,
  updateOrder,
} from '../../../db/queries/orders/orders.ts'
import type { OrderRow, OrderStatus } from '../../../db/tables/orders.ts'
import { conflict, notFound } from '../../errors.ts'
import { holdingChange, isOpen } from '../../rules/orders/states.ts'
import type { UnitOfWork } from '../../runtime/write.ts'
import { changeHolding } from '../stock/holds.ts'

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
type SubmissionValues = { external_id?: string; submit_error?: string | null; sent_at?: Date | null }

type StatusChange = {
  /** Who did it; null for the service itself. */
  actor: { id: number; name: string } | null
  /** By the database's clock, which also says when the supplier's stock was read. */
  now: Date
  /** Whether more than there is may be promised. */
  backorder: boolean
  values?: SubmissionValues
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
  tx.changed('order', [order.id])
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
