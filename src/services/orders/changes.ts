import { listItems } from '../../../db/queries/orders/items.ts'
import { deleteOrder as deleteRow, updateOrder } from '../../../db/queries/orders/orders.ts'
import { databaseTime, detachSent } from '../../../db/queries/stock/holds.ts'
import type { OrderItemRow, OrderRow } from '../../../db/tables/orders.ts'
import type { UserRow } from '../../../db/tables/users.ts'
import type { Deps } from '../../deps.ts'
import { invalid } from '../../errors.ts'
import { exactAmount, fitsMoney, minorOf } from '../../rules/money.ts'
import type { Target } from '../../rules/versions.ts'
import { type UnitOfWork, write } from '../../runtime/write.ts'
import type { Order, OrderChange } from '../../schemas/orders.ts'
import { allowsBackorder } from '../stock/offers.ts'
import { auditOrder } from './audit.ts'
import { toOrder } from './json.ts'
import { changeOrderStatus, lockOrder } from './status.ts'

type WriteDeps = Pick<Deps, 'db' | 'changes' | 'cached'>

/**
 * Sets the state of an order, any to any, and the staff's comment (specification, "Order states").
 * @throws AppError 400 with neither; 404; 409 ORDER_SUBMITTING, PRODUCT_UNAVAILABLE; 412 STALE
 */
export async function changeOrder(
  deps: WriteDeps,
  caller: UserRow,
  target: Target,
  { status, adminComment }: OrderChange,
): Promise<Order> {
  if (status === undefined && adminComment === undefined) {
    throw invalid({ path: 'body', message: 'must have status or adminComment' })
  }
  const backorder = await allowsBackorder(deps)
  return write(deps, async (tx) => {
    const before = await lockOrder(tx.db, target)
    const now = await databaseTime(tx.db)
    const values = adminComment === undefined ? {} : { admin_comment: adminComment?.trim() || null }
    const change = { actor: caller, now, backorder, values }
    const after = await changeOrderStatus(tx, before, status ?? before.status, change)
    auditOrder(tx, caller, target.id, staffFields(before), staffFields(after))
    return toOrder(after, await listItems(tx.db, [target.id]), true)
  })
}

/**
 * Sets what delivery costs; the total follows.
 * @throws AppError 400 for more than two decimals, or a total beyond what can be stored; 404; 409 ORDER_SUBMITTING; 412 STALE
 */
export function setDeliveryCost(
  deps: WriteDeps,
  caller: UserRow,
  target: Target,
  cost: number,
): Promise<Order> {
  const { id } = target
  const decimal = exactAmount('deliveryCost', cost)
  return write(deps, async (tx) => {
    const before = await lockOrder(tx.db, target)
    const items = await listItems(tx.db, [id])
    checkTotal('deliveryCost', items, decimal)
    const updated_at = await databaseTime(tx.db)
    const after = await updateOrder(tx.db, id, { delivery_cost: decimal, updated_at })
    tx.recordChange('order', [id])
    auditOrder(tx, caller, id, staffFields(before), staffFields(after))
    return toOrder(after, items, true)
  })
}

/**
 * Deletes an order for good, with all that belongs to it but what the supplier may have been sent.
 * @throws AppError 404; 409 ORDER_SUBMITTING; 412 STALE
 */
export function deleteOrder(deps: WriteDeps, caller: UserRow, target: Target): Promise<void> {
  const { id } = target
  return write(deps, async (tx) => {
    const row = await lockOrder(tx.db, target)
    const items = await listItems(tx.db, [id])
    await detachSent(tx.db, { orderIds: [id] })
    await deleteRow(tx.db, id)
    sayDeleted(tx, caller, row, items)
  })
}

/** What is said of every order that is deleted, alone or among many. */
export function sayDeleted(tx: UnitOfWork, actor: UserRow, row: OrderRow, items: OrderItemRow[]): void {
  tx.recordChange('order', [row.id])
  const held = items.filter(({ holding }) => holding)
  tx.recordChange(
    'stock',
    held.flatMap(({ product_id }) => product_id ?? []),
  )
  const { version: _, ...seen } = toOrder(row, items, true)
  auditOrder(tx, actor, row.id, seen, null)
}

/**
 * @param deliveryCost decimal text
 * @throws AppError 400 when an order would cost more than can be stored
 */
export function checkTotal(path: string, items: OrderItemRow[], deliveryCost: string): void {
  const total = items.reduce((sum, item) => sum + minorOf(item.line_total), minorOf(deliveryCost))
  if (!fitsMoney(total)) throw invalid({ path, message: 'would make the order cost more than an order can' })
}

function staffFields({ status, admin_comment, delivery_cost }: OrderRow) {
  return { status, adminComment: admin_comment, deliveryCost: Number(delivery_cost) }
}
