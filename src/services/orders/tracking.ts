import { listItems } from '../../../db/queries/orders/items.ts'
import { findTrackedOrder, lockOrder } from '../../../db/queries/orders/orders.ts'
import type { OrderRow } from '../../../db/tables/orders.ts'
import type { UserRow } from '../../../db/tables/users.ts'
import type { Deps } from '../../deps.ts'
import { conflict, found, notFound } from '../../errors.ts'
import { isCancellable } from '../../rules/orders/states.ts'
import { hashToken } from '../../runtime/secrets.ts'
import { write } from '../../runtime/write.ts'
import type { TrackedOrder } from '../../schemas/orders.ts'
import { type Author, changeOrderStatus } from './changes.ts'
import { toTrackedOrder } from './json.ts'
import { orderContext, orderFor } from './orders.ts'
import type { StoredOrder } from './place.ts'

/** Gets an order for whoever has its link (docs/orders.md). @throws AppError 404 */
export async function trackOrder(deps: Deps, token: string): Promise<TrackedOrder> {
  const row = await findByToken(deps, token)
  return toTrackedOrder(row, await listItems(deps.db, row.id))
}

/** Cancels the caller's own order. @returns its JSON @throws AppError 404; 409 ORDER_NOT_CANCELLABLE */
export async function cancelOwnOrder(deps: Deps, caller: UserRow, id: number): Promise<string> {
  const { row } = await cancel(deps, id, (order) => {
    if (order.user_id !== caller.id) throw notFound('order')
    return { id: caller.id, name: caller.name }
  })
  return orderFor(deps, caller, row)
}

/** Cancels an order by its link; its history names the customer. @throws AppError 404; 409 ORDER_NOT_CANCELLABLE */
export async function cancelTrackedOrder(deps: Deps, token: string): Promise<TrackedOrder> {
  const { id } = await findByToken(deps, token)
  const { row, items } = await cancel(deps, id, (order) => ({ id: null, name: order.customer_name }))
  return toTrackedOrder(row, items)
}

async function findByToken({ db }: Deps, token: string): Promise<OrderRow> {
  return found(await findTrackedOrder(db, hashToken(token)), 'order')
}

async function cancel(deps: Deps, id: number, authorOf: (order: OrderRow) => Author): Promise<StoredOrder> {
  const context = await orderContext(deps)
  return write(deps, async (tx) => {
    const order = found(await lockOrder(tx.db, id), 'order')
    const author = authorOf(order)
    if (!isCancellable(order)) {
      throw conflict('ORDER_NOT_CANCELLABLE', 'This order can no longer be cancelled; please contact the shop')
    }
    const row = await changeOrderStatus(tx, order, 'CANCELLED', { author, context })
    return { row, items: await listItems(tx.db, id) }
  })
}
