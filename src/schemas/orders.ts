import { type Static, Type } from '@sinclair/typebox'
import { ORDER_SORT, SUBMIT_OUTCOMES } from '../../db/tables/orders.ts'
import { readWordList } from '../rules/lists.ts'
import { MAX_ORDER_LINES } from '../rules/orders/lines.ts'
import { ORDER_STATUSES } from '../rules/orders/states.ts'
import { MAX_QUANTITY } from '../rules/stock/pricing.ts'
import { ActorKind } from './audit.ts'
import * as t from './common.ts'
import { DateRange, ExportQuery, ListQuery, Page } from './lists.ts'

export const OrderStatus = t.NamedEnum(
  'OrderStatus',
  'Status of an order; NEW, PROCESSING and ERROR reserve stock',
  ORDER_STATUSES,
)

export const OrderLine = t.NamedObject('OrderLine', 'Product and quantity', {
  productId: t.Id('Product'),
  quantity: Type.Integer({ minimum: 1, maximum: MAX_QUANTITY, description: 'Pieces' }),
})
export type OrderLine = Static<typeof OrderLine>

const Customer = Type.Object({
  customerName: t.NonBlankLine(200, 'Name of the customer', 'Анна Петрова'),
  customerPhone: t.Phone('Phone of the customer: at least five digits'),
  customerEmail: t.optionalEmail('Email of the customer'),
  deliveryMethod: t.optionalLine(100, 'Delivery method', 'Курьер'),
  deliveryAddress: t.optionalLine(500, 'Delivery address', 'Москва, ул. Лесная, 5'),
  comment: t.optionalText(2000, 'Comment of the customer'),
})

/** Texts are trimmed; empty optional ones count as absent. */
export const NewOrder = t.NamedObject('NewOrder', 'An order to place, at current prices', {
  items: Type.Array(t.ref(OrderLine), {
    minItems: 1,
    maxItems: MAX_ORDER_LINES,
    description: 'Lines of the same product are added up',
  }),
  ...Customer.properties,
})
export type NewOrder = Static<typeof NewOrder>

export const OrderHeaders = Type.Object({
  'idempotency-key': Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 200,
      pattern: '^[\\x20-\\x7e]+$',
      description: 'Repeating a key with the same body within 24 hours returns the first order',
      examples: ['7f3a0c52-4f0e-4f6a-8f7e-0d8f3f1f9a11'],
    }),
  ),
})

export const OrderItem = t.NamedObject('OrderItem', 'A line of an order, independent of later changes to the product', {
  id: t.Id('Id of the item'),
  productId: t.Nullable(t.Id('Product; null: deleted'), { examples: [12] }),
  productName: t.Text('Name when ordered', 'Перфоратор Тармекс ПЕ-1400, 1400 Вт'),
  priceAtOrder: t.Money('Price when ordered'),
  quantity: t.Count('Pieces'),
  lineTotal: t.Money('priceAtOrder × quantity', 9109.98),
})
export type OrderItem = Static<typeof OrderItem>

const head = {
  id: t.Id('Id of the order'),
  number: t.Text('Id with leading zeros, for people', '000012'),
  status: t.ref(OrderStatus),
  ...t.required(Customer.properties),
  userId: t.Nullable(t.Id("The customer's account; null: anonymous or deleted")),
  externalId: t.Nullable(t.Text("The supplier's id of the order, once accepted")),
}
const lines = {
  deliveryCost: t.Money('Delivery cost', 300),
  itemsTotal: t.Total('Sum of the items', 9109.98),
  total: t.Total('itemsTotal + deliveryCost', 9409.98),
  items: t.List(OrderItem, 'Items'),
}
const times = {
  createdAt: t.Timestamp('Time of placement'),
  updatedAt: t.Timestamp('Time of the last change'),
}

export const Order = t.NamedObject('Order', 'An order as its customer sees it', { ...head, ...lines, ...times })
export type Order = Static<typeof Order>

export const StaffOrder = t.NamedObject('StaffOrder', 'An order as staff see it', {
  ...head,
  adminComment: t.Nullable(t.Text("Staff's comment")),
  ...lines,
  submitError: t.Nullable(t.Text('Why the last submission failed')),
  version: t.EDITED.version,
  ...times,
})
export type StaffOrder = Static<typeof StaffOrder>

export const OrderPage = Page(Order)
export const StaffOrderPage = Page(StaffOrder)

export const OrderPageQuery = ListQuery(ORDER_SORT, 'newest first', {})
export type OrderPageQuery = Static<typeof OrderPageQuery>

/** Filters of the list of staff. */
export const OrderQuery = ListQuery(ORDER_SORT, 'newest first', {
  status: t.OptionalParsed(
    200,
    'Only orders with this status, or one of several separated by commas',
    'NEW,PROCESSING',
    (text) => readWordList(text, ORDER_STATUSES),
  ),
  userId: t.Id('Only orders of this user'),
  ...DateRange.properties,
  search: t.FreeText(200, 'Part of number, name, phone (however written) or email', 'Петрова'),
})
export type OrderQuery = Static<typeof OrderQuery>

export const OrderExportQuery = ExportQuery(OrderQuery)
export type OrderExportQuery = Static<typeof OrderExportQuery>

export const OrderChange = t.NamedObject('OrderChange', 'A change of an order; absent fields keep their values', {
  status: Type.Optional(t.ref(OrderStatus)),
  adminComment: Type.Optional(
    t.Nullable(t.FreeText(5000, "Staff's comment; empty or null removes it", 'Позвонить перед доставкой')),
  ),
  ...t.partial(Customer.properties),
})
export type OrderChange = Static<typeof OrderChange>

export const DeliveryCost = t.NamedObject('DeliveryCost', 'The delivery cost to set', {
  deliveryCost: t.Amount('Delivery cost, with at most two decimals', 300),
})

export const ItemQuantity = t.NamedObject('ItemQuantity', 'The quantity to set', {
  quantity: OrderLine.properties.quantity,
})

export const OrderItemParams = Type.Object({ id: t.Id('Id of the order'), itemId: t.Id('Id of the item') })

export const BulkStatus = t.NamedObject('BulkStatus', 'A status to set for several orders', {
  ids: Type.Array(t.Id('Id of an order'), { minItems: 1, maxItems: 500, description: 'Orders', examples: [[12, 13]] }),
  status: t.ref(OrderStatus),
})
export type BulkStatus = Static<typeof BulkStatus>

export const BulkStatusResult = t.NamedObject('BulkStatusResult', 'Result of setting the status of several orders', {
  changed: t.Count('Orders whose status was changed'),
  errors: Type.Array(
    Type.Object({
      id: t.Id('Id of the order'),
      code: t.Text('Code of the error', 'NOT_FOUND'),
      message: t.Text('Why the order was not changed', 'No such order'),
    }),
    { description: 'Orders that were not changed' },
  ),
})
export type BulkStatusResult = Static<typeof BulkStatusResult>

export const BulkDeleteQuery = Type.Object({
  days: Type.Integer({
    minimum: 1,
    maximum: 36_500,
    description: 'Minimum age of the orders in days',
    examples: [365],
  }),
  status: t.Only(OrderStatus, 'orders with this status'),
})
export type BulkDeleteQuery = Static<typeof BulkDeleteQuery>

export const BulkDeletePreview = t.NamedObject('BulkDeletePreview', 'Orders that a bulk delete would delete', {
  count: t.Count('Number of orders'),
  before: t.Timestamp('Orders placed before this time'),
})
export type BulkDeletePreview = Static<typeof BulkDeletePreview>

export const BulkDeleted = t.NamedObject('BulkDeleted', 'Result of a bulk delete', {
  deleted: t.Count('Number of deleted orders'),
})
export type BulkDeleted = Static<typeof BulkDeleted>

function json(description: string) {
  return Type.Record(Type.String(), Type.Unknown(), { description })
}

export const OrderHistoryEntry = t.NamedObject(
  'OrderHistoryEntry',
  'A change of status, of fields, or of both; `item` is a line',
  {
    changedAt: t.Timestamp('Time of the change'),
    userId: t.Nullable(t.Id('Account that changed it; null: an anonymous customer, an API key, or deleted since')),
    userName: t.Nullable(t.Text('Name of that account, customer or API key; null: placed anonymously', 'Анна Петрова')),
    actorKind: t.Nullable(t.ref(ActorKind), { description: 'Null: changed before this was recorded' }),
    fromStatus: t.Nullable(t.ref(OrderStatus), { description: 'Previous status; null: the order was placed' }),
    toStatus: t.ref(OrderStatus, { description: 'Status afterwards; the previous one if only fields changed' }),
    before: t.Nullable(json('Values of the changed fields before; null: none changed')),
    after: t.Nullable(json('Values of the changed fields after; null: none changed')),
  },
)
export type OrderHistoryEntry = Static<typeof OrderHistoryEntry>

const SubmitOutcome = t.NamedEnum(
  'SubmitOutcome',
  'Outcome of a submission; after UNCLEAR the supplier may have the order',
  SUBMIT_OUTCOMES,
)

export const SubmitAttempt = t.NamedObject('SubmitAttempt', 'An attempt to submit an order to the supplier', {
  startedAt: t.Timestamp('Start time'),
  durationMs: t.Nullable(t.Count('Duration in milliseconds; null: in progress, or interrupted by a crash')),
  outcome: t.ref(SubmitOutcome, { description: 'Outcome; UNCLEAR also while in progress' }),
  error: t.Nullable(t.Text('Error message')),
  request: json('Request body without secrets'),
  response: t.Nullable(json('Response body without secrets, or null if none')),
})
export type SubmitAttempt = Static<typeof SubmitAttempt>

export const OrderDetails = t.NamedObject('OrderDetails', 'An order with its history and submit attempts', {
  ...StaffOrder.properties,
  history: t.List(OrderHistoryEntry, 'Changes, oldest first'),
  submitAttempts: t.List(SubmitAttempt, 'Submit attempts, oldest first'),
})
export type OrderDetails = Static<typeof OrderDetails>

const TRACKING_TOKEN = 'q1Zk6mE1v0bJ8xF3rT9yLw2uHs5cNd7aPgKiOeXzB4M'

const trackingToken = Type.Optional(
  t.Text(
    'Shows the order to anyone who has it, at `/api/v1/orders/track/{trackingToken}`; sent only here and in mails to the customer',
    TRACKING_TOKEN,
  ),
)

export const PlacedOrder = t.NamedObject('PlacedOrder', 'A placed order with the token to track it', {
  ...Order.properties,
  trackingToken,
})

export const StaffPlacedOrder = t.NamedObject('StaffPlacedOrder', 'The same, placed by staff', {
  ...StaffOrder.properties,
  trackingToken,
})

export const TrackingParams = Type.Object({
  trackingToken: t.FreeText(43, '`trackingToken` of the placed order', TRACKING_TOKEN),
})

export const TrackedOrder = t.NamedObject(
  'TrackedOrder',
  "An order as its link shows it: nothing personal but the customer's name",
  {
    ...Type.Pick(Order, ['number', 'status', 'customerName', 'items', 'itemsTotal', 'deliveryCost', 'total'])
      .properties,
    cancellable: Type.Boolean({ description: 'Whether the customer can still cancel it' }),
    ...Type.Pick(Order, ['createdAt', 'updatedAt']).properties,
  },
)
export type TrackedOrder = Static<typeof TrackedOrder>
