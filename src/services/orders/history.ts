import { Type } from '@sinclair/typebox'
import { insertHistory } from '../../../db/queries/orders/orders.ts'
import type { OrderItemRow, OrderRow, OrderStatus } from '../../../db/tables/orders.ts'
import type { Actor } from '../../rules/accounts/roles.ts'
import { changedFields, type Fields } from '../../rules/audit/changes.ts'
import type { UnitOfWork } from '../../runtime/write.ts'
import { Order, OrderItem } from '../../schemas/orders.ts'
import { toWire } from '../wire.ts'

/** Who changes an order, and when (see databaseTime). */
export type ChangedBy = { actor: Pick<Actor, 'id' | 'name'>; now: Date }

const Corrected = Type.Pick(Order, [
  'customerName',
  'customerPhone',
  'customerEmail',
  'deliveryMethod',
  'deliveryAddress',
  'deliveryCost',
  'comment',
])
const Line = Type.Pick(OrderItem, ['id', 'productId', 'productName', 'priceAtOrder', 'quantity'])

/** The fields that staff can correct, as history and audit log record them. */
export const correctedFields = (order: OrderRow): Fields => toWire(Corrected, order)

/** A line as history and audit log record it. */
export const lineFields = (item: OrderItemRow): Fields => toWire(Line, item)

/** Adds staff's change of an order to the audit log. */
export function auditOrder(tx: UnitOfWork, actor: Actor, before: OrderRow, after: OrderRow): void {
  const fields = (order: OrderRow) => ({
    status: order.status,
    externalId: order.external_id,
    adminComment: order.admin_comment,
    ...correctedFields(order),
  })
  tx.audit({ actor, entity: 'ORDER', entityId: before.id, before: fields(before), after: fields(after) })
}

/** Adds a change of state, fields or both to an order's history, unless nothing differs. */
export async function addHistory(
  tx: UnitOfWork,
  order: OrderRow,
  { actor, now }: ChangedBy,
  before: Fields,
  after: Fields,
  to: OrderStatus = order.status,
): Promise<void> {
  const changed = changedFields(before, after)
  if (to === order.status && changed === null) return
  await insertHistory(tx.db, {
    order_id: order.id,
    changed_at: now,
    user_id: actor.id,
    user_name: actor.name,
    from_status: order.status,
    to_status: to,
    ...(changed && { before: JSON.stringify(changed.before), after: JSON.stringify(changed.after) }),
  })
}
