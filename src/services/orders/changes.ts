import { Type } from '@sinclair/typebox'
import type { Trx } from '../../../db/database.ts'
import { insertHistory, markSent, type OrderValues, preventSubmissions } from '../../../db/queries/orders/orders.ts'
import { lockRecord, updateRecord } from '../../../db/queries/records.ts'
import type { OrderItemRow, OrderRow, OrderStatus } from '../../../db/tables/orders.ts'
import { conflict, found } from '../../errors.ts'
import type { Actor } from '../../rules/accounts/roles.ts'
import { changedFields, type Fields } from '../../rules/audit/changes.ts'
import { refuseStale, type Target } from '../../rules/versions.ts'
import type { UnitOfWork } from '../../runtime/write.ts'
import { Order, OrderItem } from '../../schemas/orders.ts'
import { changeReservations } from '../stock/reservations.ts'
import { toWire } from '../wire.ts'
import { mailStatus, type OrderSettings } from './mails.ts'
import { orderForStaff } from './orders.ts'

/** Who changes an order: staff, or its customer. */
export type Author = Pick<Actor, 'id' | 'name'>

/**
 * Locks an order for a change by staff until the transaction ends.
 * @param options.submitting whether the change is the submission to the supplier itself, whose lock the caller has
 * @throws AppError 404; 409 ORDER_SUBMITTING during a submission to the supplier; 412 STALE
 */
export async function lockOrder(trx: Trx, { id, ifMatch }: Target, { submitting = false } = {}): Promise<OrderRow> {
  const order = found(await lockRecord(trx, 'orders', id), 'order')
  if (!submitting && (await preventSubmissions(trx, [id])).length === 0) {
    throw conflict('ORDER_SUBMITTING', 'The order is being submitted; please retry in a moment')
  }
  await refuseStale(ifMatch, order.version, () => orderForStaff(trx, order))
  return order
}

/** Updates a locked order and adds the fields that staff can correct, if they differ, to its history. */
export async function updateOrder(
  tx: UnitOfWork,
  order: OrderRow,
  author: Author,
  values: OrderValues,
): Promise<OrderRow> {
  const after = await updateRecord(tx.db, 'orders', order.id, values)
  await addHistory(tx, order, author, correctedFields(order), correctedFields(after), after.status)
  tx.recordChange('order', [order.id])
  return after
}

type StatusChange = { author: Author; settings: OrderSettings; values?: OrderValues }

/**
 * Sets the status of a locked order together with its history, time of sending, reservations, and the mail to the customer
 * (contract section 5). If the status stays the same, only `values` are written.
 * @throws AppError 409 PRODUCT_UNAVAILABLE when the order is reopened and the stock is gone
 */
export async function changeOrderStatus(
  tx: UnitOfWork,
  order: OrderRow,
  to: OrderStatus,
  { author, settings, values = {} }: StatusChange,
): Promise<OrderRow> {
  if (to === order.status) return updateOrder(tx, order, author, values)
  await changeReservations(tx, order, to, settings.backorder)
  if (to === 'SENT') await markSent(tx.db, order.id)
  const after = await updateOrder(tx, order, author, { ...values, status: to })
  await mailStatus(tx, settings, after)
  tx.recordEvent('order.status_changed', (db) => orderForStaff(db, after))
  return after
}

/** Adds a change of status, fields or both to an order's history, unless nothing differs. */
export async function addHistory(
  tx: UnitOfWork,
  order: OrderRow,
  { id, name }: Author,
  before: Fields,
  after: Fields,
  to: OrderStatus = order.status,
): Promise<void> {
  const changed = changedFields(before, after)
  if (to === order.status && changed === null) return
  await insertHistory(tx.db, {
    order_id: order.id,
    user_id: id,
    user_name: name,
    from_status: order.status,
    to_status: to,
    ...(changed && { before: JSON.stringify(changed.before), after: JSON.stringify(changed.after) }),
  })
}

const CORRECTED = [
  'customerName',
  'customerPhone',
  'customerEmail',
  'deliveryMethod',
  'deliveryAddress',
  'deliveryCost',
  'comment',
] as const
const Corrected = Type.Pick(Order, CORRECTED)
const Audited = Type.Pick(Order, [...CORRECTED, 'status', 'externalId', 'adminComment'])
const Line = Type.Pick(OrderItem, ['id', 'productId', 'productName', 'priceAtOrder', 'quantity'])

const correctedFields = (order: OrderRow): Fields => toWire(Corrected, order)

/** How staff's changes of orders are audited. */
export const ORDERS = {
  change: 'order',
  entity: 'ORDER',
  audited: (order: OrderRow): Fields => toWire(Audited, order, true),
} as const

/** A line as history and audit log show it. */
export const lineFields = (item: OrderItemRow): Fields => toWire(Line, item)
