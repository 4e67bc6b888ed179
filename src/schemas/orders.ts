import { type Static, Type } from '@sinclair/typebox'
import { ORDER_SORT, SUBMIT_OUTCOMES } from '../../db/tables/orders.ts'
import { MAX_INT } from '../rules/lists.ts'
import { MOST_LINES, MOST_PIECES } from '../rules/orders/lines.ts'
import { ORDER_STATUSES } from '../rules/orders/states.ts'
import { DateRange, Enum, Id, Money, Nullable, Page, PageQuery, ref, SortQuery, Timestamp } from './common.ts'

const Status = Enum(ORDER_STATUSES)
const Quantity = Type.Integer({ minimum: 1, maximum: MOST_PIECES })

export const OrderLine = Type.Object({ productId: Id, quantity: Quantity })
export type OrderLine = Static<typeof OrderLine>

function optionalText(maxLength: number) {
  return Type.Optional(Nullable(Type.String({ maxLength })))
}

/** Specification, "Orders (customer)". Spaces around texts are dropped, empty optional ones count as absent. */
export const NewOrder = Type.Object({
  items: Type.Array(OrderLine, { minItems: 1, maxItems: MOST_LINES }),
  customerName: Type.String({ minLength: 1, maxLength: 200, pattern: '\\S' }),
  customerPhone: Type.String({ minLength: 3, maxLength: 50, pattern: '(\\S\\s*){3}' }),
  customerEmail: optionalText(254),
  deliveryMethod: optionalText(100),
  deliveryAddress: optionalText(500),
  comment: optionalText(2000),
})
export type NewOrder = Static<typeof NewOrder>

export const OrderHeaders = Type.Object({
  'idempotency-key': Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 200,
      pattern: '^[\\x20-\\x7e]+$',
      description: 'A repeat with the same key and body within 24 hours answers the first order',
    }),
  ),
})

export const OrderItem = Type.Object(
  {
    id: Type.Integer(),
    productId: Nullable(Type.Integer({ description: 'Null: the product was deleted since' })),
    productName: Type.String(),
    priceAtOrder: Type.Number(),
    quantity: Type.Integer(),
    lineTotal: Type.Number(),
  },
  { $id: 'OrderItem' },
)

const orderFields = {
  id: Type.Integer(),
  number: Type.String({ description: 'The id for people, with leading zeros' }),
  status: Status,
  customerName: Type.String(),
  customerPhone: Type.String(),
  customerEmail: Nullable(Type.String()),
  deliveryMethod: Nullable(Type.String()),
  deliveryAddress: Nullable(Type.String()),
  comment: Nullable(Type.String()),
  userId: Nullable(Type.Integer()),
  externalId: Nullable(Type.String({ description: "The supplier's id of the order" })),
  adminComment: Type.Optional(Nullable(Type.String({ description: 'For staff only' }))),
  deliveryCost: Type.Number(),
  itemsTotal: Type.Number(),
  total: Type.Number({ description: 'itemsTotal + deliveryCost' }),
  items: Type.Array(ref(OrderItem)),
  submitError: Type.Optional(Nullable(Type.String({ description: 'For staff only' }))),
  createdAt: Timestamp,
  updatedAt: Timestamp,
}

/** Contract section 5, "Order JSON". */
export const Order = Type.Object(orderFields, { $id: 'Order' })
export type Order = Static<typeof Order>

export const OrderPage = Page(ref(Order))

const Json = Type.Record(Type.String(), Type.Unknown())

/** An order with all that happened to it, for staff. */
export const OrderDetails = Type.Object(
  {
    ...orderFields,
    history: Type.Array(
      Type.Object({
        changedAt: Timestamp,
        userId: Nullable(Type.Integer({ description: 'Null: an anonymous customer, or the service itself' })),
        userName: Nullable(Type.String()),
        fromStatus: Nullable(Status),
        toStatus: Status,
      }),
    ),
    submitAttempts: Type.Array(
      Type.Object({
        startedAt: Timestamp,
        durationMs: Nullable(Type.Integer()),
        outcome: Nullable(Enum(SUBMIT_OUTCOMES)),
        error: Nullable(Type.String()),
        request: Json,
        response: Nullable(Json),
      }),
    ),
  },
  { $id: 'OrderDetails' },
)
export type OrderDetails = Static<typeof OrderDetails>

/** Of the lists of a customer's orders. */
export const OrderPageQuery = Type.Object({
  ...PageQuery.properties,
  sort: SortQuery(ORDER_SORT, 'the newest first'),
})
export type OrderPageQuery = Static<typeof OrderPageQuery>

/** Contract section 5: the admin list. */
export const OrderQuery = Type.Object({
  ...OrderPageQuery.properties,
  status: Type.Optional(Status),
  ...DateRange.properties,
  search: Type.Optional(Type.String({ maxLength: 200, description: 'Part of number, name, phone or email' })),
})
export type OrderQuery = Static<typeof OrderQuery>

export const OrderChange = Type.Object({
  status: Type.Optional(Status),
  adminComment: Type.Optional(Nullable(Type.String({ maxLength: 5000 }))),
})
export type OrderChange = Static<typeof OrderChange>

export const DeliveryCost = Type.Object({ deliveryCost: Money })

export const OrderItemParams = Type.Object({ id: Id, itemId: Id })

/** Contract section 5, "Bulk delete". */
export const BulkDeleteQuery = Type.Object({
  days: Type.Integer({ minimum: 1, maximum: 36_500, description: 'Orders placed longer ago than this' }),
  status: Type.Optional(Status),
})
export type BulkDeleteQuery = Static<typeof BulkDeleteQuery>

const Count = Type.Integer({ minimum: 0, maximum: MAX_INT })

export const BulkDeletePreview = Type.Object({ count: Count, before: Timestamp })
export type BulkDeletePreview = Static<typeof BulkDeletePreview>

export const BulkDeleted = Type.Object({ deleted: Count })
export type BulkDeleted = Static<typeof BulkDeleted>
