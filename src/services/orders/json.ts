import type { Db } from '../../../db/database.ts'
import { listItemsByOrder } from '../../../db/queries/orders/items.ts'
import { findForStaff } from '../../../db/queries/orders/orders.ts'
import { findShownOffers } from '../../../db/queries/stock/reservations.ts'
import type { OrderHistoryRow, OrderItemRow, OrderRow, SubmitAttemptRow } from '../../../db/tables/orders.ts'
import { found } from '../../errors.ts'
import { imageUrl } from '../../rules/media/urls.ts'
import { toAmount } from '../../rules/money.ts'
import { actionsFor, isCancellable } from '../../rules/orders/states.ts'
import type {
  Order,
  OrderHistoryEntry,
  OrderItem,
  OrderRecord,
  StaffOrder,
  SubmitAttempt,
  TrackedOrder,
} from '../../schemas/orders.ts'

/** An order as its customer sees it (docs/orders.md). */
export function toOrder(row: OrderRow, items: OrderItemRow[]): Order {
  return {
    id: row.id,
    number: row.number,
    status: row.status,
    customerName: row.customer_name,
    customerPhone: row.customer_phone,
    customerEmail: row.customer_email,
    deliveryMethod: row.delivery_method,
    deliveryAddress: row.delivery_address,
    comment: row.comment,
    userId: row.user_id,
    externalId: row.external_id,
    deliveryCost: toAmount(row.delivery_cost),
    itemsTotal: toAmount(row.items_total),
    total: toAmount(row.total),
    items: items.map(toOrderItem),
    createdAt: row.created_at.toISOString(),
    updatedAt: row.updated_at.toISOString(),
  }
}

/** What is stored of an order, for exports and the audit log. The order of its members is that of the export's columns. */
export function toOrderRecord(row: OrderRow, items: OrderItemRow[]): OrderRecord {
  const { deliveryCost, itemsTotal, total, items: lines, createdAt, updatedAt, ...head } = toOrder(row, items)
  return {
    ...head,
    adminComment: row.admin_comment,
    deliveryCost,
    itemsTotal,
    total,
    items: lines,
    submitError: row.submit_error,
    version: row.version,
    createdAt,
    updatedAt,
  }
}

/** Reads orders as staff see them. */
export async function ordersForStaff(db: Db, orders: OrderRow[]): Promise<StaffOrder[]> {
  const ids = orders.map(({ id }) => id)
  const lines = await listItemsByOrder(db, ids)
  const productIds = [...lines.values()].flat().flatMap(({ product_id }) => product_id ?? [])
  const products = await findShownOffers(db, productIds)
  const contexts = new Map((await findForStaff(db, ids)).map((row) => [row.id, row]))
  return orders.map((row) => {
    const context = contexts.get(row.id)
    const { items, ...order } = toOrderRecord(row, lines.get(row.id) ?? [])
    return {
      ...order,
      customer: context?.customer ?? null,
      actions: actionsFor(row, { isUnclear: context?.is_unclear === true, isRunning: context?.is_running === true }),
      items: items.map((item) => {
        const product = products.get(item.productId ?? 0)
        return { ...item, slug: product?.slug ?? null, imageUrl: product?.image ? imageUrl(product.image) : null }
      }),
    }
  })
}

/** Reads an order as staff see it. */
export async function orderForStaff(db: Db, row: OrderRow): Promise<StaffOrder> {
  return found((await ordersForStaff(db, [row]))[0], 'order')
}

export function toOrderItem(row: OrderItemRow): OrderItem {
  return {
    id: row.id,
    productId: row.product_id,
    productName: row.product_name,
    priceAtOrder: toAmount(row.price_at_order),
    quantity: row.quantity,
    lineTotal: toAmount(row.line_total),
  }
}

export function toTrackedOrder(row: OrderRow, items: OrderItemRow[]): TrackedOrder {
  return {
    number: row.number,
    status: row.status,
    customerName: row.customer_name,
    items: items.map(toOrderItem),
    itemsTotal: toAmount(row.items_total),
    deliveryCost: toAmount(row.delivery_cost),
    total: toAmount(row.total),
    cancellable: isCancellable(row),
    createdAt: row.created_at.toISOString(),
    updatedAt: row.updated_at.toISOString(),
  }
}

export function toHistoryEntry(row: OrderHistoryRow): OrderHistoryEntry {
  return {
    changedAt: row.changed_at.toISOString(),
    userId: row.user_id,
    userName: row.user_name,
    actorKind: row.actor_kind ?? formerKindOf(row),
    fromStatus: row.from_status,
    toStatus: row.to_status,
    before: row.before,
    after: row.after,
  }
}

/** Of an entry from before kinds were recorded; null if the name may be anybody's. */
function formerKindOf({ user_id, user_name }: OrderHistoryRow) {
  if (user_id !== null) return 'USER'
  return user_name === null ? 'CUSTOMER' : null
}

export function toSubmitAttempt(row: SubmitAttemptRow): SubmitAttempt {
  return {
    startedAt: row.started_at.toISOString(),
    durationMs: row.duration_ms,
    outcome: row.outcome,
    error: row.error,
    request: row.request,
    response: row.response,
  }
}
