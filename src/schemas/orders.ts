import { type Static, Type } from '@sinclair/typebox'
import { ORDER_SORT } from '../../db/tables/orders.ts'
import { MAX_ORDER_LINES } from '../rules/orders/lines.ts'
import { ORDER_STATUSES } from '../rules/orders/states.ts'
import { MAX_QUANTITY } from '../rules/stock/pricing.ts'
import {
  Count,
  DateRange,
  described,
  Enum,
  Id,
  Money,
  Nullable,
  optionalEmail,
  optionalText,
  Page,
  PageQuery,
  Phone,
  ref,
  SortQuery,
  Timestamp,
  Word,
} from './common.ts'
import { CsvQuery } from './exports.ts'

export const OrderStatus = Enum(ORDER_STATUSES, {
  $id: 'OrderStatus',
  description: 'State of an order; NEW, PROCESSING and ERROR reserve stock',
})

export const OrderLine = Type.Object(
  {
    productId: described(Id, 'Product'),
    quantity: Type.Integer({ minimum: 1, maximum: MAX_QUANTITY, description: 'Pieces' }),
  },
  { $id: 'OrderLine', description: 'Product and quantity', examples: [{ productId: 1160, quantity: 2 }] },
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

const customerProperties = {
  customerName: Word(200, 'Name of the customer'),
  customerPhone: Phone(50, 'Phone of the customer: at least five digits'),
  customerEmail: optionalEmail('Email of the customer'),
  deliveryMethod: optionalText(100, 'Delivery method'),
  deliveryAddress: optionalText(500, 'Delivery address'),
  comment: optionalText(2000, 'Comment of the customer'),
}

/** Specification, "Orders (customer)". Texts are trimmed; empty optional ones count as absent. */
export const NewOrder = Type.Object(
  {
    items: Type.Array(ref(OrderLine), {
      minItems: 1,
      maxItems: MAX_ORDER_LINES,
      description: 'Lines of one product are summed',
    }),
    ...customerProperties,
  },
  {
    $id: 'NewOrder',
    description: 'An order to place, at current prices',
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
      description: 'Repeating a key with the same body within 24 hours returns the first order',
      examples: ['7f3a0c52-4f0e-4f6a-8f7e-0d8f3f1f9a11'],
    }),
  ),
})

export const OrderItem = Type.Object(
  {
    id: described(Id, 'Id of the item'),
    productId: Nullable(described(Id, 'Product, or null if deleted')),
    productName: Type.String({ description: 'Name when ordered' }),
    priceAtOrder: described(Money, 'Price when ordered'),
    quantity: described(Count, 'Pieces'),
    lineTotal: described(Money, 'priceAtOrder × quantity'),
  },
  {
    $id: 'OrderItem',
    description: 'A line of an order, independent of later changes to the product',
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
    number: Type.String({ description: 'Id with leading zeros, for people' }),
    status: ref(OrderStatus),
    customerName: Type.String({ description: 'Name of the customer' }),
    customerPhone: Type.String({ description: 'Phone as entered' }),
    customerEmail: Nullable(Type.String({ description: 'Email of the customer' })),
    deliveryMethod: Nullable(Type.String({ description: 'Delivery method' })),
    deliveryAddress: Nullable(Type.String({ description: 'Delivery address' })),
    comment: Nullable(Type.String({ description: 'Comment of the customer' })),
    userId: Nullable(described(Id, "The customer's account, or null if anonymous or deleted")),
    externalId: Nullable(Type.String({ description: "The supplier's id of the order, once accepted" })),
    adminComment: Type.Optional(Nullable(Type.String({ description: "Staff's comment; for staff only" }))),
    deliveryCost: described(Money, 'Delivery cost'),
    itemsTotal: Type.Number({ minimum: 0, description: 'Sum of the items' }),
    total: Type.Number({ minimum: 0, description: 'itemsTotal + deliveryCost' }),
    items: Type.Array(ref(OrderItem), { description: 'Items' }),
    submitError: Type.Optional(
      Nullable(Type.String({ description: 'Why the last submission failed; for staff only' })),
    ),
    version: Type.Optional(
      described(
        Count,
        'Incremented by every change by staff; send it as If-Match to detect conflicts; for staff only',
      ),
    ),
    createdAt: described(Timestamp, 'Time of placement'),
    updatedAt: described(Timestamp, 'Time of the last change'),
  },
  { $id: 'Order', description: 'An order; optional fields are for staff only', examples: [EXAMPLE] },
)
export type Order = Static<typeof Order>

export const OrderPage = Page(Order)

export const OrderPageQuery = Type.Object({
  ...PageQuery.properties,
  sort: SortQuery(ORDER_SORT, 'newest first'),
})
export type OrderPageQuery = Static<typeof OrderPageQuery>

/** Contract section 5: the admin list. */
export const OrderQuery = Type.Object({
  ...OrderPageQuery.properties,
  status: Type.Optional(
    Type.String({
      maxLength: 200,
      description: 'Only orders in this state, or in one of several separated by commas',
      examples: ['NEW,PROCESSING'],
    }),
  ),
  userId: Type.Optional(described(Id, 'Only orders of this user')),
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

export const OrderExportQuery = Type.Object({
  ...Type.Omit(OrderQuery, ['page', 'size']).properties,
  ...CsvQuery.properties,
})
export type OrderExportQuery = Static<typeof OrderExportQuery>

export const OrderChange = Type.Object(
  {
    status: Type.Optional(ref(OrderStatus)),
    adminComment: Type.Optional(
      Nullable(Type.String({ maxLength: 5000, description: "Staff's comment; empty or null removes it" })),
    ),
    customerName: Type.Optional(customerProperties.customerName),
    customerPhone: Type.Optional(customerProperties.customerPhone),
    customerEmail: customerProperties.customerEmail,
    deliveryMethod: customerProperties.deliveryMethod,
    deliveryAddress: customerProperties.deliveryAddress,
    comment: customerProperties.comment,
  },
  {
    $id: 'OrderChange',
    description: 'A change of an order; absent fields are left unchanged',
    examples: [{ status: 'PROCESSING', adminComment: 'Позвонить перед доставкой' }],
  },
)
export type OrderChange = Static<typeof OrderChange>

export const DeliveryCost = Type.Object(
  { deliveryCost: described(Money, 'At most two decimals') },
  { $id: 'DeliveryCost', description: 'The delivery cost to set', examples: [{ deliveryCost: 300 }] },
)

export const ItemQuantity = Type.Object(
  { quantity: OrderLine.properties.quantity },
  { $id: 'ItemQuantity', description: 'The quantity to set', examples: [{ quantity: 3 }] },
)

export const OrderItemParams = Type.Object({
  id: described(Id, 'Id of the order'),
  itemId: described(Id, 'Id of the item'),
})

/** Contract section 5, "Corrections by staff". */
export const BulkStatus = Type.Object(
  {
    ids: Type.Array(Id, { minItems: 1, maxItems: 500, description: 'Orders' }),
    status: ref(OrderStatus),
  },
  {
    $id: 'BulkStatus',
    description: 'A state to set for several orders',
    examples: [{ ids: [12, 13], status: 'COMPLETED' }],
  },
)
export type BulkStatus = Static<typeof BulkStatus>

export const BulkStatusResult = Type.Object(
  {
    changed: described(Count, 'Orders that were in another state'),
    errors: Type.Array(
      Type.Object({
        id: described(Id, 'Id of the order'),
        code: Type.String({ description: 'Code as of an error' }),
        message: Type.String({ description: 'Why the order was not changed' }),
      }),
      { description: 'Orders that were not changed' },
    ),
  },
  {
    $id: 'BulkStatusResult',
    description: 'Result of setting the state of several orders',
    examples: [{ changed: 1, errors: [{ id: 13, code: 'NOT_FOUND', message: 'No such order' }] }],
  },
)
export type BulkStatusResult = Static<typeof BulkStatusResult>

/** Contract section 5, "Bulk delete". */
export const BulkDeleteQuery = Type.Object({
  days: Type.Integer({
    minimum: 1,
    maximum: 36_500,
    description: 'Minimum age of the orders in days',
    examples: [365],
  }),
  status: Type.Optional(
    ref(OrderStatus, { description: 'Only orders in this state', examples: ['ARCHIVED'] }),
  ),
})
export type BulkDeleteQuery = Static<typeof BulkDeleteQuery>

export const BulkDeletePreview = Type.Object(
  {
    count: described(Count, 'Number of orders'),
    before: described(Timestamp, 'Orders placed before this time'),
  },
  {
    $id: 'BulkDeletePreview',
    description: 'Orders that a bulk delete would delete',
    examples: [{ count: 17, before: '2025-11-21T10:05:00.000Z' }],
  },
)
export type BulkDeletePreview = Static<typeof BulkDeletePreview>

export const BulkDeleted = Type.Object(
  { deleted: described(Count, 'Number of deleted orders') },
  { $id: 'BulkDeleted', description: 'Result of a bulk delete', examples: [{ deleted: 17 }] },
)
export type BulkDeleted = Static<typeof BulkDeleted>
