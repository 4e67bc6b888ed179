import type { Trx } from '../../../db/database.ts'
import { deleteItem, insertItems, listItems } from '../../../db/queries/orders/items.ts'
import { isSubmitUnclear, updateOrder } from '../../../db/queries/orders/orders.ts'
import { databaseTime, detachSentLines } from '../../../db/queries/stock/reservations.ts'
import type { OrderItemRow, OrderRow } from '../../../db/tables/orders.ts'
import type { Deps } from '../../deps.ts'
import { conflict, notFound } from '../../errors.ts'
import type { Actor } from '../../rules/accounts/actor.ts'
import { MAX_ORDER_LINES, priceLines } from '../../rules/orders/lines.ts'
import { isOpen } from '../../rules/orders/states.ts'
import type { Target } from '../../rules/versions.ts'
import { write } from '../../runtime/write.ts'
import type { Order, OrderLine } from '../../schemas/orders.ts'
import { allowsBackorder, lockOffers } from '../stock/offers.ts'
import { checkTotal } from './editing.ts'
import { toOrder } from './json.ts'
import { lockOrder } from './status.ts'

type WriteDeps = Pick<Deps, 'db' | 'changes' | 'cached'>

/**
 * Adds a line at today's price, even if the order has a line of the product: its price may differ.
 * @throws AppError 404; 409 ORDER_NOT_EDITABLE, ORDER_SUBMITTING, SUBMIT_UNCLEAR, TOO_MANY_ITEMS, PRODUCT_UNAVAILABLE;
 *   412 STALE
 */
export async function addItem(
  deps: WriteDeps,
  caller: Actor,
  target: Target,
  line: OrderLine,
): Promise<Order> {
  const { id: orderId } = target
  const backorder = await allowsBackorder(deps)
  return write(deps, async (tx) => {
    const order = await lockEditable(tx.db, target)
    const items = await listItems(tx.db, [orderId])
    if (items.length >= MAX_ORDER_LINES) {
      throw conflict('TOO_MANY_ITEMS', `An order has at most ${MAX_ORDER_LINES} items`)
    }
    const offers = await lockOffers(tx.db, [line.productId])
    const priced = priceLines([{ ...line, index: 0 }], offers, backorder, () => 'productId')
    // A stale order was released as a whole, and is reserved again as a whole.
    const holding = items.some((item) => item.holding)
    const added = await insertItems(
      tx.db,
      orderId,
      priced.map((item) => ({ ...item, holding })),
    )
    const after = [...items, ...added]
    checkTotal('quantity', after, order.delivery_cost)
    tx.recordChange('order', [orderId])
    tx.recordChange('stock', [line.productId])
    for (const item of added) {
      const entry = { before: { item: null }, after: { item: auditedItem(item) } }
      tx.audit({ actor: caller, entity: 'ORDER', entityId: orderId, ...entry })
    }
    return toOrder(await updateOrder(tx.db, orderId, { updated_at: await databaseTime(tx.db) }), after, true)
  })
}

/**
 * Removes a line.
 * @throws AppError 404; 409 ORDER_NOT_EDITABLE, ORDER_SUBMITTING, SUBMIT_UNCLEAR, or LAST_ITEM for the only one; 412 STALE
 */
export function removeItem(deps: WriteDeps, caller: Actor, target: Target, itemId: number): Promise<void> {
  const { id: orderId } = target
  return write(deps, async (tx) => {
    await lockEditable(tx.db, target)
    const items = await listItems(tx.db, [orderId])
    const item = items.find(({ id }) => id === itemId)
    if (item === undefined) throw notFound('item of this order')
    if (items.length === 1) {
      throw conflict('LAST_ITEM', "The last item of an order can't be removed; delete the order instead")
    }
    await detachSentLines(tx.db, { itemId })
    await deleteItem(tx.db, orderId, itemId)
    tx.recordChange('order', [orderId])
    if (item.product_id !== null) tx.recordChange('stock', [item.product_id])
    const entry = { before: { item: auditedItem(item) }, after: { item: null } }
    tx.audit({ actor: caller, entity: 'ORDER', entityId: orderId, ...entry })
    await updateOrder(tx.db, orderId, { updated_at: await databaseTime(tx.db) })
  })
}

async function lockEditable(trx: Trx, target: Target): Promise<OrderRow> {
  const order = await lockOrder(trx, target)
  if (!isOpen(order.status)) {
    throw conflict('ORDER_NOT_EDITABLE', `The items of an order that is ${order.status} can't be changed`)
  }
  if (order.external_id !== null) {
    throw conflict('ORDER_NOT_EDITABLE', "The supplier has accepted this order; its items can't be changed")
  }
  if (await isSubmitUnclear(trx, order.id)) {
    throw conflict('SUBMIT_UNCLEAR', 'The supplier may have received the order; submit it again first')
  }
  return order
}

function auditedItem(item: OrderItemRow) {
  return {
    id: item.id,
    productId: item.product_id,
    productName: item.product_name,
    priceAtOrder: Number(item.price_at_order),
    quantity: item.quantity,
  }
}
