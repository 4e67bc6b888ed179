import type { Trx } from '../../../db/database.ts'
import { deleteItem, insertItems, listItems, updateQuantity } from '../../../db/queries/orders/items.ts'
import { listSubmitAttempts } from '../../../db/queries/orders/submit-attempts.ts'
import { keepSentReserved, lockOffers } from '../../../db/queries/stock/reservations.ts'
import type { OrderItemRow, OrderRow } from '../../../db/tables/orders.ts'
import type { Deps } from '../../deps.ts'
import { conflict, found } from '../../errors.ts'
import type { Actor } from '../../rules/accounts/roles.ts'
import { decimalOfMinor } from '../../rules/money.ts'
import { checkTotal, MAX_ORDER_LINES, priceLines, sumOfLines } from '../../rules/orders/lines.ts'
import { isOpen } from '../../rules/orders/states.ts'
import { MAX_QUANTITY, productUnavailable, unavailable, whyUnavailable } from '../../rules/stock/pricing.ts'
import type { Target } from '../../rules/versions.ts'
import { write } from '../../runtime/write.ts'
import type { OrderLine, StaffOrder } from '../../schemas/orders.ts'
import { settingValues } from '../settings/settings.ts'
import { allowsBackorder } from '../stock/reservations.ts'
import { type ItemChange, lockOrder, updateOrder } from './changes.ts'
import { orderForStaff } from './json.ts'

/**
 * Adds a line at today's price, even if the order has a line of the product: its price may differ.
 * @throws AppError 404; 409 ORDER_NOT_EDITABLE, ORDER_SUBMITTING, SUBMIT_UNCLEAR, TOO_MANY_ITEMS, PRODUCT_UNAVAILABLE;
 *   412 STALE
 */
export async function addItem(deps: Deps, caller: Actor, target: Target, line: OrderLine): Promise<StaffOrder> {
  const backorder = allowsBackorder(await settingValues(deps))
  return changeItems(deps, caller, target, async (trx, items) => {
    if (items.length >= MAX_ORDER_LINES) {
      throw conflict('TOO_MANY_ITEMS', `An order has at most ${MAX_ORDER_LINES} items`)
    }
    const offers = await lockOffers(trx, [line.productId])
    const priced = priceLines([{ ...line, index: 0 }], offers, { backorder, max: MAX_QUANTITY }, () => 'productId')
    // A stale order was released as a whole, and is reserved again as a whole.
    const reserved = items.some((item) => item.holding)
    const added = await insertItems(trx, target.id, priced, reserved)
    return { after: added[0] }
  })
}

/**
 * Removes a line.
 * @throws AppError 404; 409 ORDER_NOT_EDITABLE, ORDER_SUBMITTING, SUBMIT_UNCLEAR, or LAST_ITEM for the only one; 412 STALE
 */
export async function removeItem(deps: Deps, caller: Actor, target: Target, itemId: number): Promise<StaffOrder> {
  return changeItems(deps, caller, target, async (trx, items) => {
    const before = findItem(items, itemId)
    if (items.length === 1) {
      throw conflict('LAST_ITEM', "The last item of an order can't be removed; delete the order instead")
    }
    await keepSentReserved(trx, [itemId])
    await deleteItem(trx, itemId)
    return { before }
  })
}

/**
 * Changes the quantity of a line at its price. Additional pieces must be available as for a new line, whatever the product
 * costs today.
 * @throws AppError 400 for too large a total; 404; 409 ORDER_NOT_EDITABLE, ORDER_SUBMITTING, SUBMIT_UNCLEAR,
 *   PRODUCT_UNAVAILABLE; 412 STALE
 */
export async function setQuantity(
  deps: Deps,
  caller: Actor,
  { itemId, ...target }: Target & { itemId: number },
  quantity: number,
): Promise<StaffOrder> {
  const backorder = allowsBackorder(await settingValues(deps))
  return changeItems(deps, caller, target, async (trx, items) => {
    const before = findItem(items, itemId)
    await checkQuantity(trx, before, quantity, backorder)
    await keepSentReserved(trx, [itemId], quantity)
    return { before, after: await updateQuantity(trx, itemId, quantity) }
  })
}

async function checkQuantity(
  trx: Trx,
  { product_id, price_at_order, holding: isReserved, quantity: current }: OrderItemRow,
  quantity: number,
  backorder: boolean,
): Promise<void> {
  // Even if the quantity shrinks: every transaction locks products before lines.
  const offers = await lockOffers(trx, product_id === null ? [] : [product_id])
  if (quantity <= current) return
  const offer = offers.get(product_id ?? 0)
  // A line that isn't reserved needs all of its pieces.
  const needed = isReserved ? quantity - current : quantity
  const reason = whyUnavailable(offer && { ...offer, final_price: price_at_order }, needed, backorder)
  if (reason === null) return
  const available = offer?.active ? offer.available_quantity + quantity - needed : 0
  throw productUnavailable([unavailable('quantity', reason, available)])
}

function findItem(items: OrderItemRow[], itemId: number): OrderItemRow {
  const item = items.find(({ id }) => id === itemId)
  return found(item, 'item of this order')
}

/** Changes a line of an order, and with it the order's total. */
function changeItems(
  deps: Deps,
  caller: Actor,
  target: Target,
  change: (trx: Trx, items: OrderItemRow[]) => Promise<ItemChange>,
): Promise<StaffOrder> {
  return write(deps, async (tx) => {
    const order = await lockEditable(tx.db, target)
    const item = await change(tx.db, await listItems(tx.db, order.id))
    const total = sumOfLines(await listItems(tx.db, order.id))
    checkTotal('quantity', total, order.delivery_cost)
    const row = await updateOrder(tx, order, caller, { items_total: decimalOfMinor(total) }, item)
    const productId = (item.after ?? item.before)?.product_id
    if (productId) tx.recordChange('stock', [productId])
    return orderForStaff(tx.db, row)
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
  // A later refusal doesn't settle what happened to an unclear attempt.
  if ((await listSubmitAttempts(trx, order.id)).some(({ outcome }) => outcome !== 'REFUSED')) {
    throw conflict('SUBMIT_UNCLEAR', 'The supplier may have received the order; submit it again first')
  }
  return order
}
