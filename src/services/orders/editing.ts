import { listItemsByOrder } from '../../../db/queries/orders/items.ts'
import * as queries from '../../../db/queries/orders/orders.ts'
import { withoutSubmissions } from '../../../db/queries/orders/submit-attempts.ts'
import { databaseTime, keepSentReserved } from '../../../db/queries/stock/reservations.ts'
import type { Deps } from '../../deps.ts'
import { AppError, invalid, type Language } from '../../errors.ts'
import { emailOrNull } from '../../rules/accounts/credentials.ts'
import type { Actor } from '../../rules/accounts/roles.ts'
import { minorOf } from '../../rules/money.ts'
import { checkTotal } from '../../rules/orders/lines.ts'
import { lineOrNull, oneLine, textOrNull } from '../../rules/text.ts'
import type { Target } from '../../rules/versions.ts'
import { type UnitOfWork, write } from '../../runtime/write.ts'
import type * as edit from '../../schemas/order-editing.ts'
import type * as wire from '../../schemas/orders.ts'
import { changeOrderStatus, lockOrder, updateOrder } from './changes.ts'
import { orderForStaff, toOrderRecord } from './json.ts'
import { orderContext } from './orders.ts'

/**
 * Sets an order's status, staff's comment, and the customer's data (docs/orders.md).
 * @throws AppError 400, also without any of them; 404; 409 ORDER_SUBMITTING, PRODUCT_UNAVAILABLE; 412 STALE
 */
export async function correctOrder(
  deps: Deps,
  caller: Actor,
  target: Target,
  input: edit.OrderChange,
): Promise<wire.StaffOrder> {
  const { status } = input
  const values = toValues(input)
  if ([status, ...Object.values(values)].every((value) => value === undefined)) {
    throw invalid({ path: 'body', code: 'NO_CHANGE' })
  }
  const change = { author: caller, context: await orderContext(deps), values }
  return write(deps, async (tx) => {
    const order = await lockOrder(tx.db, target)
    return orderForStaff(tx.db, await changeOrderStatus(tx, order, status ?? order.status, change))
  })
}

/** The columns that a correction sets besides the status; an undefined one keeps its value. */
function toValues(input: edit.OrderChange) {
  return {
    admin_comment: textOrNull(input.adminComment),
    customer_name: input.customerName && oneLine(input.customerName),
    customer_phone: input.customerPhone && oneLine(input.customerPhone),
    customer_email: emailOrNull(input.customerEmail),
    delivery_method: lineOrNull(input.deliveryMethod),
    delivery_address: lineOrNull(input.deliveryAddress),
    comment: textOrNull(input.comment),
  }
}

/**
 * Sets the status of several orders, each in a transaction of its own (docs/orders.md).
 * @returns how many changed, and why others could not be changed
 */
export async function setStatuses(
  deps: Deps,
  caller: Actor,
  { ids, status }: edit.BulkStatus,
  language: Language,
): Promise<edit.BulkStatusResult> {
  const change = { author: caller, context: await orderContext(deps) }
  const setStatus = (id: number) =>
    write(deps, async (tx) => {
      const order = await lockOrder(tx.db, { id })
      if (order.status === status) return 0
      await changeOrderStatus(tx, order, status, change)
      return 1
    })
  const result: edit.BulkStatusResult = { changed: 0, errors: [] }
  for (const id of new Set(ids)) {
    try {
      result.changed += await setStatus(id)
    } catch (error) {
      if (!(error instanceof AppError)) throw error
      result.errors.push({ id, code: error.code, message: error.messageIn(language) })
    }
  }
  return result
}

/**
 * Sets the delivery cost, which is part of the total.
 * @throws AppError 400 for too large a total; 404; 409 ORDER_SUBMITTING; 412 STALE
 */
export function setDeliveryCost(deps: Deps, caller: Actor, target: Target, cost: number): Promise<wire.StaffOrder> {
  const decimal = cost.toFixed(2)
  return write(deps, async (tx) => {
    const order = await lockOrder(tx.db, target)
    checkTotal('deliveryCost', minorOf(order.items_total), decimal)
    return orderForStaff(tx.db, await updateOrder(tx, order, caller, { delivery_cost: decimal }))
  })
}

/** Deletes an order. @throws AppError 404; 409 ORDER_SUBMITTING; 412 STALE */
export function deleteOrder(deps: Deps, caller: Actor, target: Target): Promise<void> {
  return write(deps, async (tx) => {
    await lockOrder(tx.db, target)
    await deleteLockedOrders(tx, caller, [target.id])
  })
}

/** Deletes orders; lines that the supplier may have received stay reserved. @returns their number */
async function deleteLockedOrders(tx: UnitOfWork, actor: Actor, ids: number[]): Promise<number> {
  const items = await listItemsByOrder(tx.db, ids)
  const itemIds = [...items.values()].flat().map(({ id }) => id)
  await keepSentReserved(tx.db, itemIds)
  const rows = await queries.deleteOrders(tx.db, ids)
  for (const row of rows) {
    const lines = items.get(row.id) ?? []
    const released = lines.flatMap(({ holding, product_id }) => (holding && product_id) || [])
    tx.recordChange('order', [row.id])
    tx.recordChange('stock', released)
    tx.audit({ actor, entity: 'ORDER', entityId: row.id, before: toOrderRecord(row, lines), after: null })
  }
  return rows.length
}

/** Orders of one transaction; limits how long their locks delay others. */
const BATCH_SIZE = 500
const DAY_MS = 86_400_000
const BY_ID = { field: 'id', descending: false } as const

/** Counts the orders that a bulk delete would delete. */
export async function previewBulkDelete({ db }: Deps, query: edit.BulkDeleteQuery): Promise<edit.BulkDeletePreview> {
  const filter = toFilter(query, await databaseTime(db))
  return { count: (await queries.listOrderIds(db, filter, BY_ID)).length, before: filter.until.toISOString() }
}

/** Deletes orders older than `days`, except those being submitted (docs/orders.md). */
export async function bulkDeleteOrders(
  deps: Deps,
  caller: Actor,
  query: edit.BulkDeleteQuery,
): Promise<edit.BulkDeleted> {
  const filter = toFilter(query, await databaseTime(deps.db))
  const ids = await queries.listOrderIds(deps.db, filter, BY_ID)
  let deleted = 0
  for (let begin = 0; begin < ids.length; begin += BATCH_SIZE) {
    deleted += await write(deps, async (tx) => {
      const locked = await queries.lockOrders(tx.db, filter, ids.slice(begin, begin + BATCH_SIZE))
      return deleteLockedOrders(tx, caller, await withoutSubmissions(tx.db, locked))
    })
  }
  return { deleted }
}

function toFilter({ days, status }: edit.BulkDeleteQuery, now: Date): queries.OrderFilter & { until: Date } {
  return { until: new Date(now.getTime() - days * DAY_MS), statuses: status && [status] }
}
