import { type Static, Type } from '@sinclair/typebox'
import { ORDER_SORT, SUBMIT_OUTCOMES } from '../../db/tables/orders.ts'
import { MAX_ORDER_LINES } from '../rules/orders/lines.ts'
import { ORDER_STATUSES } from '../rules/orders/states.ts'
import { MAX_QUANTITY } from '../rules/stock/pricing.ts'
import { ActorKind } from './audit.ts'
import * as t from './common.ts'
import { Consent } from './consent.ts'
import { DateRange, ExportQuery, ListQuery, Page, SeveralWords } from './lists.ts'

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

export const Customer = Type.Object({
  customerName: t.NonBlankLine(200, 'Name of the customer', 'Анна Петрова'),
  customerPhone: t.Phone('Phone of the customer: at least five digits'),
  customerEmail: t.optionalEmail('Email of the customer'),
  deliveryMethod: t.optionalLine(
    100,
    'Delivery method; a code of the setting `delivery_methods` if that lists any',
    'Курьер',
  ),
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
  consent: Consent,
})
export type NewOrder = Static<typeof NewOrder>

export const NewOrderForCustomer = t.NamedObject('NewOrderForCustomer', 'An order that staff place for a customer', {
  ...NewOrder.properties,
  customerId: Type.Optional(t.Nullable(t.Id("The customer's account; absent or null: none"))),
})

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
  customerPhone: t.Nullable(
    t.Text('Phone of the customer as entered; null: the customer was erased', '+7 900 123-45-67'),
  ),
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

/** What is stored of an order. */
export const OrderRecord = Type.Object({
  ...head,
  adminComment: t.Nullable(t.Text("Staff's comment")),
  ...lines,
  submitError: t.Nullable(t.Text('Why the last submission failed')),
  version: t.EDITED.version,
  ...times,
})
export type OrderRecord = Static<typeof OrderRecord>

const StaffOrderItem = t.NamedObject('StaffOrderItem', 'A line of an order, with what its product shows today', {
  ...OrderItem.properties,
  slug: t.Nullable(t.Text('Slug of the product; null: deleted', 'perforator-tarmeks-pe-1400-1400-vt')),
  imageUrl: t.Nullable(t.Text('Path of its main image; null: none', '/api/v1/images/31?v=2c26b46b68ff')),
})

const OrderActions = t.NamedObject('OrderActions', 'What the state of the order allows now', {
  editItems: Type.Boolean({ description: 'Whether lines may be added, changed and removed' }),
  submit: Type.Boolean({ description: 'Whether it may be submitted to the supplier' }),
  cancel: Type.Boolean({ description: 'Whether its customer may cancel it' }),
})

export const StaffOrder = t.NamedObject('StaffOrder', 'An order as staff see it', {
  ...OrderRecord.properties,
  items: t.List(StaffOrderItem, 'Items'),
  customer: t.Nullable(
    Type.Object({
      id: t.Id('Id of the account'),
      name: t.Text('Name of the account', 'Анна Петрова'),
      email: t.Text('Email of the account', 'anna@example.com'),
    }),
    { description: "The customer's account; null: anonymous or deleted" },
  ),
  actions: t.ref(OrderActions),
})
export type StaffOrder = Static<typeof StaffOrder>

export const OrderPage = Page(Order)
export const StaffOrderPage = Page(StaffOrder)

export const OrderPageQuery = ListQuery(ORDER_SORT, 'newest first', {})
export type OrderPageQuery = Static<typeof OrderPageQuery>

/** Filters of the list of staff. */
const orderFilters = t.partial({
  status: SeveralWords(ORDER_STATUSES, 'Only orders with this status'),
  userId: t.Id('Only orders of this user'),
  ...DateRange.properties,
  search: t.FreeText(200, 'Part of number, name, phone (however written) or email', 'Петрова'),
})
export const OrderFilters = Type.Object(orderFilters)
export type OrderFilters = Static<typeof OrderFilters>

export const OrderQuery = ListQuery(ORDER_SORT, 'newest first', orderFilters)
export type OrderQuery = Static<typeof OrderQuery>

export const OrderExportQuery = ExportQuery(OrderQuery)
export type OrderExportQuery = Static<typeof OrderExportQuery>

export const PrintQuery = Type.Object({
  prices: Type.Optional(Type.Boolean({ description: 'Whether it shows amounts; true by default' })),
})
export type PrintQuery = Static<typeof PrintQuery>

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
