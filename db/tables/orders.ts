import type { ColumnType, Generated, GeneratedAlways, Selectable } from 'kysely'
import type { ActorKind } from '../../src/rules/accounts/roles.ts'
import type { OrderStatus } from '../../src/rules/orders/states.ts'
import type { Edited, Json, JsonObject } from './columns.ts'

/** Each has an index. */
export const ORDER_SORT = ['createdAt', 'id', 'status', 'total'] as const

export const SUBMIT_OUTCOMES = ['ACCEPTED', 'REFUSED', 'UNCLEAR'] as const
type SubmitOutcome = (typeof SUBMIT_OUTCOMES)[number]

export interface OrderTables {
  orders: Edited & {
    /** The id with leading zeros, for people. */
    number: GeneratedAlways<string>
    status: Generated<OrderStatus>
    customer_name: string
    /** Null: the customer was erased. */
    customer_phone: string | null
    customer_email: string | null
    delivery_method: string | null
    delivery_address: string | null
    comment: string | null
    user_id: number | null
    /** The supplier's id, once accepted. */
    external_id: string | null
    admin_comment: string | null
    /** Decimal text. */
    delivery_cost: Generated<string>
    /** Sum of the lines, set with each change of them. Decimal text. */
    items_total: Generated<string>
    /** Decimal text. */
    total: GeneratedAlways<string>
    submit_error: string | null
    /** When the supplier received the order, or may have received it in an attempt with an unknown outcome. */
    sent_at: Date | null
    /** SHA-256 of the token in the link to the order; null for an order of an earlier version. */
    tracking_hash: Buffer | null
    /** The token, encrypted, for mails and for the answer to a repeated request. */
    tracking_sealed: Buffer | null
    /** Lower case, ё as е: number, name, phone (also its digits alone), email. */
    search_text: GeneratedAlways<string>
  }
  order_items: {
    id: Generated<number>
    /** Null for what stays reserved although its order lost it (see keepSentReserved). */
    order_id: number | null
    /** Null if the product was deleted. */
    product_id: number | null
    /** The supplier's id of the product; null for products of the shop itself. */
    product_external_id: string | null
    product_name: string
    /** Decimal text. */
    price_at_order: string
    quantity: number
    line_total: GeneratedAlways<string>
    /** Whether the quantity is reserved (docs/orders.md). */
    holding: Generated<boolean>
    /** `sent_at` of the order that a line without one came from. */
    sent_at: Date | null
  }
  order_history: {
    id: GeneratedAlways<number>
    order_id: number
    changed_at: Generated<Date>
    /** Null for anonymous customers and deleted users. */
    user_id: number | null
    user_name: string | null
    /** Null: recorded by an earlier version. */
    actor_kind: Exclude<ActorKind, 'SERVICE'> | null
    from_status: OrderStatus | null
    /** Same as `from_status` when only fields changed. */
    to_status: OrderStatus
    /** Fields that changed, besides the status. */
    before: Json
    after: Json
  }
  order_idempotency_keys: {
    /** Caller and key, hashed. */
    key: string
    request_hash: string
    order_id: number | null
    created_at: Generated<Date>
  }
  order_submit_attempts: {
    id: GeneratedAlways<number>
    order_id: number
    started_at: Date
    /** Null while in progress, or after a crash. */
    duration_ms: number | null
    outcome: SubmitOutcome
    /** Without secrets. */
    request: ColumnType<JsonObject, string, string>
    response: Json
    error: string | null
  }
}

export type OrderRow = Selectable<OrderTables['orders']>
export type OrderItemRow = Selectable<OrderTables['order_items']>
export type OrderHistoryRow = Selectable<OrderTables['order_history']>
export type SubmitAttemptRow = Selectable<OrderTables['order_submit_attempts']>
