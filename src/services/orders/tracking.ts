import { findTrackedOrder, listItems } from '../../../db/queries/orders/orders.ts'
import { lockRecord } from '../../../db/queries/records.ts'
import type { OrderRow } from '../../../db/tables/orders.ts'
import type { UserRow } from '../../../db/tables/users.ts'
import type { Deps } from '../../deps.ts'
import { conflict, found, notFound } from '../../errors.ts'
import { atLeast } from '../../rules/accounts/roles.ts'
import { isCancellable } from '../../rules/orders/states.ts'
import { hashToken } from '../../runtime/secrets.ts'
import { write } from '../../runtime/write.ts'
import { type Order, OrderItem, TrackedOrder } from '../../schemas/orders.ts'
import { toWire } from '../wire.ts'
import { type Author, changeOrderStatus } from './changes.ts'
import { orderContext, toOrder } from './orders.ts'
import type { StoredOrder } from './place.ts'

/** Gets an order for whoever has its link (contract section 5, "The customer"). @throws AppError 404 */
export async function trackOrder(deps: Deps, token: string): Promise<TrackedOrder> {
  const row = await findByToken(deps, token)
  return toTracked({ row, items: await listItems(deps.db, row.id) })
}

/** Cancels the caller's own order. @throws AppError 404; 409 ORDER_NOT_CANCELLABLE */
export async function cancelOwnOrder(deps: Deps, caller: UserRow, id: number): Promise<Order> {
  const { row, items } = await cancel(deps, id, (order) => {
    if (order.user_id !== caller.id) throw notFound('order')
    return { id: caller.id, name: caller.name }
  })
  return toOrder(row, items, atLeast(caller.role, 'MANAGER'))
}

/** Cancels an order by its link; its history names the customer. @throws AppError 404; 409 ORDER_NOT_CANCELLABLE */
export async function cancelTrackedOrder(deps: Deps, token: string): Promise<TrackedOrder> {
  const { id } = await findByToken(deps, token)
  return toTracked(await cancel(deps, id, (order) => ({ id: null, name: order.customer_name })))
}

async function findByToken({ db }: Deps, token: string): Promise<OrderRow> {
  return found(await findTrackedOrder(db, hashToken(token)), 'order')
}

async function cancel(deps: Deps, id: number, authorOf: (order: OrderRow) => Author): Promise<StoredOrder> {
  const context = await orderContext(deps)
  return write(deps, async (tx) => {
    const order = found(await lockRecord(tx.db, 'orders', id), 'order')
    const author = authorOf(order)
    if (!isCancellable(order)) {
      throw conflict('ORDER_NOT_CANCELLABLE', 'This order can no longer be cancelled; please contact the shop')
    }
    const row = await changeOrderStatus(tx, order, 'CANCELLED', { author, context })
    return { row, items: await listItems(tx.db, id) }
  })
}

function toTracked({ row, items }: StoredOrder): TrackedOrder {
  return toWire(TrackedOrder, {
    ...row,
    cancellable: isCancellable(row),
    items: items.map((item) => toWire(OrderItem, item)),
  })
}
