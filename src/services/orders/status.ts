import type { Updateable } from 'kysely'
import type { Trx } from '../../../db/database.ts'
import { listItems } from '../../../db/queries/orders/items.ts'
import { preventSubmissions, updateOrder } from '../../../db/queries/orders/orders.ts'
import { lockRecord } from '../../../db/queries/records.ts'
import type { OrderRow, OrderStatus, OrdersTable } from '../../../db/tables/orders.ts'
import { conflict, found, stale } from '../../errors.ts'
import { isOpen, reservationChange } from '../../rules/orders/states.ts'
import { isStale, type Target } from '../../rules/versions.ts'
import type { UnitOfWork } from '../../runtime/write.ts'
import { changeReservation } from '../stock/reservations.ts'
import { addHistory, type ChangedBy, correctedFields } from './history.ts'
import { mailStatus, type OrderSettings } from './mails.ts'
import { toOrder } from './orders.ts'

/**
 * Locks an order for a change by staff until the transaction ends.
 * @param options.submitting whether the change is the submission to the supplier itself, whose lock the caller has
 * @throws AppError 404; 409 ORDER_SUBMITTING during a submission to the supplier; 412 STALE
 */
export async function lockOrder(
  trx: Trx,
  { id, ifMatch }: Target,
  { submitting = false } = {},
): Promise<OrderRow> {
  const order = found(await lockRecord(trx, 'orders', id), 'order')
  if (!submitting && (await preventSubmissions(trx, [id])).length === 0) {
    throw conflict('ORDER_SUBMITTING', 'The order is being submitted; please retry in a moment')
  }
  if (isStale(ifMatch, order.version)) throw stale(toOrder(order, await listItems(trx, [id]), true))
  return order
}

/** Columns that change together with the state. */
type StatusValues = Omit<Updateable<OrdersTable>, 'status' | 'version' | 'updated_at'>

type StatusChange = ChangedBy & { settings: OrderSettings; values?: StatusValues }

/**
 * Sets the state of a locked order together with its history, time of sending, reservations, and the mail to the customer
 * (contract section 5). If the state stays the same, only `values` are written; corrections go into the history too.
 * @throws AppError 409 PRODUCT_UNAVAILABLE when the order is reopened and the stock is gone
 */
export async function changeOrderStatus(
  tx: UnitOfWork,
  order: OrderRow,
  to: OrderStatus,
  { settings, values = {}, ...by }: StatusChange,
): Promise<OrderRow> {
  tx.recordChange('order', [order.id])
  const isChange = to !== order.status
  if (isChange) {
    const change = reservationChange(to, order.sent_at !== null)
    const { backorder } = settings
    await changeReservation(tx, order.id, change, { wasOpen: isOpen(order.status), backorder })
  }
  const sent = isChange && to === 'SENT' ? { sent_at: by.now } : {}
  const after = await updateOrder(tx.db, order.id, { ...sent, ...values, status: to, updated_at: by.now })
  if (isChange) {
    await mailStatus(tx, settings, after, to)
    tx.recordEvent('order.status_changed', async (db) =>
      toOrder(after, await listItems(db, [order.id]), true),
    )
  }
  await addHistory(tx, order, by, correctedFields(order), correctedFields(after), to)
  return after
}
