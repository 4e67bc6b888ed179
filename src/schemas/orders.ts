import { type Static, Type } from '@sinclair/typebox'
import { ORDER_SORT } from '../../db/tables/orders.ts'
import { MAX_ORDER_LINES, MAX_QUANTITY } from '../rules/orders/lines.ts'
import { ORDER_STATUSES } from '../rules/orders/states.ts'
import {
  Count,
  DateRange,
  described,
  Enum,
  Id,
  Money,
  Nullable,
  optionalText,
  Page,
  PageQuery,
  ref,
  SortQuery,
  Timestamp,
} from './common.ts'

export const OrderStatus = Enum(ORDER_STATUSES, {
  $id: 'OrderStatus',
  description: 'Where an order stands; NEW, PROCESSING and ERROR hold its quantities',
})

export const OrderLine = Type.Object(
  {
    productId: described(Id, 'Which product'),
    quantity: Type.Integer({ minimum: 1, maximum: MAX_QUANTITY, description: 'How many pieces' }),
  },
  { $id: 'OrderLine', description: 'So many of a product', examples: [{ productId: 1160, quantity: 2 }] },
)
export type OrderLine = Static<typeof OrderLine>

const CUSTOMER = {
  customerName: 'Анна Петрова',
  customerPhone: '+7 900 123-45-67',
  customerEmail: 'anna@example.com',
  deliveryMethod: 'Курьер',
  deliveryAddress: 'Москва, ул. Лесная, 5',
  comment: null,
}

/** Specification, "Orders (customer)". Spaces around texts are dropped, empty optional ones count as absent. */
export const NewOrder = Type.Object(
  {
    items: Type.Array(ref(OrderLine), {
      minItems: 1,
      maxItems: MAX_ORDER_LINES,
      description: 'What is ordered; the same product twice is summed',
    }),
    customerName: Type.String({ minLength: 1, maxLength: 200, pattern: '\\S', description: 'Who orders' }),
    customerPhone: Type.String({
      minLength: 3,
      maxLength: 50,
      pattern: '(\\S\\s*){3}',
      description: 'Where to call back',
    }),
    customerEmail: optionalText(254, 'Where to write'),
    deliveryMethod: optionalText(100, 'How it shall come'),
    deliveryAddress: optionalText(500, 'Where it shall come to'),
    comment: optionalText(2000, 'What else the customer says'),
  },
  {
    $id: 'NewOrder',
    description: 'An order to place; prices always come from the shop',
    examples: [{ items: OrderLine.examples, ...CUSTOMER }],
  },
)
export type NewOrder = Static<typeof NewOrder>

export const OrderHeaders = Type.Object({
  'idempotency-key': Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 200,
      pattern: '^[\\x20-\\x7e]+$',
      description: 'A repeat with the same key and body within 24 hours answers the first order',
      examples: ['7f3a0c52-4f0e-4f6a-8f7e-0d8f3f1f9a11'],
    }),
  ),
})

export const OrderItem = Type.Object(
  {
    id: described(Id, 'Id of the item'),
    productId: Nullable(described(Id, 'The product; null: it was deleted since')),
    productName: Type.String({ description: 'Its name when it was ordered' }),
    priceAtOrder: described(Money, 'Its price when it was ordered'),
    quantity: described(Count, 'How many pieces'),
    lineTotal: described(Money, 'priceAtOrder × quantity'),
  },
  {
    $id: 'OrderItem',
    description: 'A line of an order; nothing of it changes with the catalogue',
    examples: [
      {
        id: 3,
        productId: 1160,
        productName: 'Перфоратор Тармекс ПЕ-1400, 1400 Вт',
        priceAtOrder: 4554.99,
        quantity: 2,
        lineTotal: 9109.98,
      },
    ],
  },
)

const EXAMPLE = {
  id: 12,
  number: '000012',
  status: 'NEW',
  ...CUSTOMER,
  userId: 7,
  externalId: null,
  deliveryCost: 300,
  itemsTotal: 9109.98,
  total: 9409.98,
  items: OrderItem.examples,
  createdAt: '2026-11-21T10:05:00.000Z',
  updatedAt: '2026-11-21T10:05:00.000Z',
}
/** Contract section 5, "Order JSON". */
export const Order = Type.Object(
  {
    id: described(Id, 'Id of the order'),
    number: Type.String({ description: 'The id for people, with leading zeros' }),
    status: ref(OrderStatus),
    customerName: Type.String({ description: 'Who ordered' }),
    customerPhone: Type.String({ description: 'Where to call back, as it was written' }),
    customerEmail: Nullable(Type.String({ description: 'Where to write' })),
    deliveryMethod: Nullable(Type.String({ description: 'How it shall come' })),
    deliveryAddress: Nullable(Type.String({ description: 'Where it shall come to' })),
    comment: Nullable(Type.String({ description: 'What else the customer said' })),
    userId: Nullable(described(Id, "The customer's account; null: none, or deleted since")),
    externalId: Nullable(Type.String({ description: "The supplier's id of the order" })),
    adminComment: Type.Optional(Nullable(Type.String({ description: "Staff's comment, for staff only" }))),
    deliveryCost: described(Money, 'What delivery costs'),
    itemsTotal: Type.Number({ minimum: 0, description: 'Sum of the items' }),
    total: Type.Number({ minimum: 0, description: 'itemsTotal + deliveryCost' }),
    items: Type.Array(ref(OrderItem), { description: 'What was ordered' }),
    submitError: Type.Optional(
      Nullable(Type.String({ description: 'Why the supplier did not take it, for staff only' })),
    ),
    version: Type.Optional(
      described(
        Count,
        'Counts the changes by staff, for staff only; send it as If-Match to change only what you know',
      ),
    ),
    createdAt: described(Timestamp, 'When it was placed'),
    updatedAt: described(Timestamp, 'When it was changed last'),
  },
  { $id: 'Order', description: 'An order; what is optional only staff get', examples: [EXAMPLE] },
)
export type Order = Static<typeof Order>

export const OrderPage = Page(Order)

/** Of the lists of a customer's orders. */
export const OrderPageQuery = Type.Object({
  ...PageQuery.properties,
  sort: SortQuery(ORDER_SORT, 'the newest first'),
})
export type OrderPageQuery = Static<typeof OrderPageQuery>

/** Contract section 5: the admin list. */
export const OrderQuery = Type.Object({
  ...OrderPageQuery.properties,
  status: Type.Optional(ref(OrderStatus, { description: 'Orders in this state only', examples: ['NEW'] })),
  ...DateRange.properties,
  search: Type.Optional(
    Type.String({
      maxLength: 200,
      description: 'Part of number, name, phone or email',
      examples: ['Петрова'],
    }),
  ),
})
export type OrderQuery = Static<typeof OrderQuery>

export const OrderChange = Type.Object(
  {
    status: Type.Optional(ref(OrderStatus)),
    adminComment: Type.Optional(
      Nullable(Type.String({ maxLength: 5000, description: "Staff's comment; empty or null: none" })),
    ),
  },
  {
    $id: 'OrderChange',
    description: 'What shall be different; what is absent stays',
    examples: [{ status: 'PROCESSING', adminComment: 'Позвонить перед доставкой' }],
  },
)
export type OrderChange = Static<typeof OrderChange>

export const DeliveryCost = Type.Object(
  { deliveryCost: described(Money, 'With at most two decimals') },
  { $id: 'DeliveryCost', description: 'What delivery shall cost', examples: [{ deliveryCost: 300 }] },
)

export const OrderItemParams = Type.Object({
  id: described(Id, 'Id of the order'),
  itemId: described(Id, 'Id of the item'),
})

/** Contract section 5, "Bulk delete". */
export const BulkDeleteQuery = Type.Object({
  days: Type.Integer({
    minimum: 1,
    maximum: 36_500,
    description: 'Orders placed longer ago than this',
    examples: [365],
  }),
  status: Type.Optional(ref(OrderStatus, { description: 'In this state only', examples: ['ARCHIVED'] })),
})
export type BulkDeleteQuery = Static<typeof BulkDeleteQuery>

export const BulkDeletePreview = Type.Object(
  {
    count: described(Count, 'Orders that would be deleted'),
    before: described(Timestamp, 'Orders placed before this moment'),
  },
  {
    $id: 'BulkDeletePreview',
    description: 'What a bulk delete would delete',
    examples: [{ count: 17, before: '2025-11-21T10:05:00.000Z' }],
  },
)
export type BulkDeletePreview = Static<typeof BulkDeletePreview>

export const BulkDeleted = Type.Object(
  { deleted: described(Count, 'Orders that were deleted') },
  { $id: 'BulkDeleted', description: 'What a bulk delete deleted', examples: [{ deleted: 17 }] },
)
export type BulkDeleted = Static<typeof BulkDeleted>
