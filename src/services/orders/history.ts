import { insertHistory } from '../../../db/queries/orders/orders.ts'
import type { OrderItemRow, OrderRow, OrderStatus } from '../../../db/tables/orders.ts'
import type { Actor } from '../../rules/accounts/actor.ts'
import { changedFields, type Fields } from '../../rules/audit/changes.ts'
import type { UnitOfWork } from '../../runtime/write.ts'

/** Who changes an order, and when (see databaseTime). */
export type ChangedBy = { actor: Pick<Actor, 'id' | 'name'>; now: Date }

/** The fields that staff correct, as history and audit log have them. */
export function correctedFields(order: OrderRow): Fields {
  return {
    customerName: order.customer_name,
    customerPhone: order.customer_phone,
    customerEmail: order.customer_email,
    deliveryMethod: order.delivery_method,
    deliveryAddress: order.delivery_address,
    comment: order.comment,
    deliveryCost: Number(order.delivery_cost),
  }
}

/** A line as history and audit log have it. */
export function lineFields(item: OrderItemRow): Fields {
  return {
    id: item.id,
    productId: item.product_id,
    productName: item.product_name,
    priceAtOrder: Number(item.price_at_order),
    quantity: item.quantity,
  }
}

/** Adds a change of state, of fields, or of both to an order's history; nothing if none differs. */
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
