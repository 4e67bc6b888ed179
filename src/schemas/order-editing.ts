import { type Static, Type } from '@sinclair/typebox'
import * as t from './common.ts'
import { Customer, OrderLine, OrderStatus } from './orders.ts'

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
