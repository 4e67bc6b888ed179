import type { OrderItemRow, OrderRow } from '../../../db/tables/orders.ts'
import { Order, OrderItem } from '../../schemas/orders.ts'
import { toWire } from '../wire.ts'

/** Contract section 5, "Order JSON". @param staff whether to include the fields for staff */
export function toOrder(row: OrderRow, items: OrderItemRow[], staff: boolean): Order {
  return toWire(Order, { ...row, items: items.map((item) => toWire(OrderItem, item)) }, staff)
}
