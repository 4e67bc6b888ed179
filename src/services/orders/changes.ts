import type { Trx } from '../../../db/database.ts'
import * as rows from '../../../db/queries/orders/orders.ts'
import { withoutSubmissions } from '../../../db/queries/orders/submit-attempts.ts'
import type { OrderItemRow, OrderRow } from '../../../db/tables/orders.ts'
import { conflict, found } from '../../errors.ts'
import type { Actor } from '../../rules/accounts/roles.ts'
import { changedFields } from '../../rules/audit/changes.ts'
import { toAmount } from '../../rules/money.ts'
import type { OrderStatus } from '../../rules/orders/states.ts'
import { hasChanges, refuseStale, type Target } from '../../rules/versions.ts'
import type { UnitOfWork } from '../../runtime/write.ts'
import { allowsBackorder, changeReservations } from '../stock/reservations.ts'
import { orderForStaff, toOrderItem } from './json.ts'
import { mailStatus } from './mails.ts'
import type { OrderContext } from './orders.ts'

/** Who changes an order: staff, or its customer. */
export type Author = Actor | { id: number | null; name: string }

/** @param author null: an anonymous customer */
export function kindOf(author: Author | null) {
  if (author !== null && author.id !== null) return 'USER'
  return author !== null && 'role' in author ? 'API_KEY' : 'CUSTOMER'
}

/**
 * Locks an order for a change by staff until the transaction ends.
 * @throws AppError 404; 409 ORDER_SUBMITTING during a submission to the supplier; 412 STALE
 */
export async function lockOrder(trx: Trx, { id, ifMatch }: Target): Promise<OrderRow> {
  const order = found(await rows.lockOrder(trx, id), 'order')
  if ((await withoutSubmissions(trx, [id])).length === 0) {
    throw conflict('ORDER_SUBMITTING', 'The order is being submitted; please retry in a moment')
  }
  await refuseStale(ifMatch, order.version, () => orderForStaff(trx, order))
  return order
}

/** A line before and after a change; one is absent if it was added or removed. */
export type ItemChange = { before?: OrderItemRow; after?: OrderItemRow }

/**
 * Updates a locked order, of which a line may have changed before, and adds what differs to its history. Changes by staff
 * are audited, too.
 */
export async function updateOrder(
  tx: UnitOfWork,
  order: OrderRow,
  author: Author,
  values: rows.OrderValues,
  item: ItemChange = {},
): Promise<OrderRow> {
  const isChanged = hasChanges(order, values)
  const updated = isChanged ? await rows.updateOrder(tx.db, order.id, values) : order
  if (updated.status === order.status) tx.recordChange('order', isChanged ? [order.id] : [])
  else tx.recordChange('orderStatus', [order.id], (db) => orderForStaff(db, updated))
  const before = recordedFields(order, item.before)
  const after = recordedFields(updated, item.after)
  const changed = changedFields(before, after)
  if (changed === null && updated.status === order.status) return updated
  await rows.insertHistory(tx.db, {
    order_id: order.id,
    user_id: author.id,
    user_name: author.name,
    actor_kind: kindOf(author),
    from_status: order.status,
    to_status: updated.status,
    ...(changed && { before: JSON.stringify(changed.before), after: JSON.stringify(changed.after) }),
  })
  if ('role' in author) {
    const audited = { before: { status: order.status, ...before }, after: { status: updated.status, ...after } }
    tx.audit({ actor: author, entity: 'ORDER', entityId: order.id, ...audited })
  }
  return updated
}

/** What history and audit log show of an order and of a line. */
function recordedFields(order: OrderRow, item: OrderItemRow | undefined) {
  return {
    adminComment: order.admin_comment,
    customerName: order.customer_name,
    customerPhone: order.customer_phone,
    customerEmail: order.customer_email,
    deliveryMethod: order.delivery_method,
    deliveryAddress: order.delivery_address,
    comment: order.comment,
    deliveryCost: toAmount(order.delivery_cost),
    externalId: order.external_id,
    item: item ? toRecordedItem(item) : null,
  }
}

function toRecordedItem(item: OrderItemRow) {
  const { lineTotal: _, ...recorded } = toOrderItem(item)
  return recorded
}

/**
 * Sets the status of a locked order together with its history, time of sending, reservations, and the mail to the customer
 * (docs/orders.md). If the status stays the same, only `values` are written.
 * @throws AppError 409 PRODUCT_UNAVAILABLE when the order is reopened and the stock is gone
 */
export async function changeOrderStatus(
  tx: UnitOfWork,
  order: OrderRow,
  to: OrderStatus,
  { author, context, values = {} }: { author: Author; context: OrderContext; values?: rows.OrderValues },
): Promise<OrderRow> {
  if (to === order.status) return updateOrder(tx, order, author, values)
  await changeReservations(tx, order, to, allowsBackorder(context.settings))
  if (to === 'SENT') await rows.markSent(tx.db, order.id)
  const after = await updateOrder(tx, order, author, { ...values, status: to })
  await mailStatus(tx, context, after)
  return after
}
