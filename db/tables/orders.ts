import type { ColumnType, Generated, GeneratedAlways, Selectable } from 'kysely'
import type { SortFields } from '../../src/rules/lists.ts'
import type { OrderStatus } from '../../src/rules/orders/states.ts'
import type { JsonObject } from './categories.ts'

export type { OrderStatus }

export type OrdersTable = {
  id: Generated<number>
  /** Short and for people: the id with leading zeros. */
  number: GeneratedAlways<string>
  status: Generated<OrderStatus>
  customer_name: string
  customer_phone: string
  customer_email: string | null
  delivery_method: string | null
  delivery_address: string | null
  comment: string | null
  user_id: number | null
  /** The supplier's id, after it accepted the order. */
  external_id: string | null
  admin_comment: string | null
  /** Decimal text. */
  delivery_cost: Generated<string>
  submit_error: string | null
  /** Since when the supplier may have the order: sent, or an attempt to send it whose outcome is not known. */
  sent_at: Date | null
  /** Counts the changes that staff made. */
  version: Generated<number>
  created_at: Generated<Date>
  updated_at: Generated<Date>
  /** Lower case, ё as е: number, name, phone (also its digits alone), email. */
  search_text: GeneratedAlways<string>
}

export type OrderRow = Selectable<OrdersTable>

export const ORDER_COLUMNS = [
  'id',
  'number',
  'status',
  'customer_name',
  'customer_phone',
  'customer_email',
  'delivery_method',
  'delivery_address',
  'comment',
  'user_id',
  'external_id',
  'admin_comment',
  'delivery_cost',
  'submit_error',
  'sent_at',
  'version',
  'created_at',
  'updated_at',
  'search_text',
] as const satisfies (keyof OrderRow)[]

/** Each is the order of an index. */
export const ORDER_SORT = {
  createdAt: ['created_at', 'id'],
  id: ['id'],
  status: ['status', 'created_at', 'id'],
} as const satisfies SortFields<OrderRow>

export type OrderItemsTable = {
  id: Generated<number>
  /** Null: the order is gone, or has this line no more, and what the supplier may have been sent is held all the same. */
  order_id: number | null
  /** Null: the product was deleted since. */
  product_id: number | null
  /** What the supplier calls the product; null: one made by hand. */
  product_external_id: string | null
  product_name: string
  /** Decimal text. */
  price_at_order: string
  quantity: number
  line_total: GeneratedAlways<string>
  /** Whether the quantity is taken off what others can order (contract section 5, "Availability"). */
  holding: Generated<boolean>
  /** Of a line without an order: `sent_at` of the order that it was in. */
  sent_at: Date | null
}

export type OrderItemRow = Selectable<OrderItemsTable>

export const ITEM_COLUMNS = [
  'id',
  'order_id',
  'product_id',
  'product_external_id',
  'product_name',
  'price_at_order',
  'quantity',
  'line_total',
  'holding',
  'sent_at',
] as const satisfies (keyof OrderItemRow)[]

export type OrderHistoryTable = {
  id: GeneratedAlways<number>
  order_id: number
  changed_at: Generated<Date>
  /** Null: the customer, the service itself, or a user deleted since. */
  user_id: number | null
  user_name: string | null
  from_status: OrderStatus | null
  to_status: OrderStatus
}

export type OrderHistoryRow = Selectable<OrderHistoryTable>

export type OrderIdempotencyKeysTable = {
  /** Caller and key, hashed. */
  key: string
  request_hash: string
  order_id: number | null
  created_at: Generated<Date>
}

export const SUBMIT_OUTCOMES = ['ACCEPTED', 'REFUSED', 'UNCLEAR'] as const
export type SubmitOutcome = (typeof SUBMIT_OUTCOMES)[number]

export type OrderSubmitAttemptsTable = {
  id: GeneratedAlways<number>
  order_id: number
  started_at: Date
  duration_ms: number | null
  /** Null: under way, or cut off by a crash. */
  outcome: SubmitOutcome | null
  /** As sent and as answered, without secrets. */
  request: ColumnType<JsonObject, string, never>
  response: ColumnType<JsonObject | null, string | null | undefined, string | null>
  error: string | null
}

export type SubmitAttemptRow = Selectable<OrderSubmitAttemptsTable>
