import { type Static, Type } from '@sinclair/typebox'
import { NamedObject, Text } from './common.ts'
import { Order } from './orders.ts'

const TRACKING_TOKEN = 'q1Zk6mE1v0bJ8xF3rT9yLw2uHs5cNd7aPgKiOeXzB4M'

/** Contract section 5, "The customer". */
export const PlacedOrder = NamedObject('PlacedOrder', 'A placed order with the token to follow it', {
  ...Order.properties,
  trackingToken: Type.Optional(
    Text(
      'Opens the order to whoever has it, at `/api/v1/orders/track/{trackingToken}`; only here, and in mails to the customer',
      TRACKING_TOKEN,
    ),
  ),
})
export type PlacedOrder = Static<typeof PlacedOrder>

export const TrackingParams = Type.Object({
  trackingToken: Type.String({
    minLength: 43,
    maxLength: 43,
    pattern: '^[A-Za-z0-9_-]+$',
    description: '`trackingToken` of the placed order',
    examples: [TRACKING_TOKEN],
  }),
})

export const TrackedOrder = NamedObject(
  'TrackedOrder',
  "An order as its link shows it: nothing personal but the customer's name",
  {
    ...Type.Pick(Order, ['number', 'status']).properties,
    cancellable: Type.Boolean({ description: 'Whether the customer can still cancel it' }),
    ...Type.Pick(Order, ['customerName', 'items', 'itemsTotal', 'deliveryCost', 'total']).properties,
    ...Type.Pick(Order, ['createdAt', 'updatedAt']).properties,
  },
)
export type TrackedOrder = Static<typeof TrackedOrder>
