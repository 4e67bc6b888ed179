import type { OrderItemRow, OrderRow } from '../../../db/tables/orders.ts'
import type { Order } from '../../schemas/orders.ts'

/** Contract section 5, "Order JSON". @param staff whether to include the fields for staff */
export function toOrder(row: OrderRow, items: OrderItemRow[], staff: boolean): Order {
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
    ...(staff
      ? { adminComment: row.admin_comment, submitError: row.submit_error, version: row.version }
      : {}),
    deliveryCost: Number(row.delivery_cost),
    itemsTotal: Number(row.items_total),
    total: Number(row.total),
    items: items.map(toItem),
    createdAt: row.created_at.toISOString(),
    updatedAt: row.updated_at.toISOString(),
  }
}

function toItem(row: OrderItemRow): Order['items'][number] {
  return {
    id: row.id,
    productId: row.product_id,
    productName: row.product_name,
    priceAtOrder: Number(row.price_at_order),
    quantity: row.quantity,
    lineTotal: Number(row.line_total),
  }
}
