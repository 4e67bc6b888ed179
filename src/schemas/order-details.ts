import { type Static, Type } from '@sinclair/typebox'
import { SUBMIT_OUTCOMES } from '../../db/tables/orders.ts'
import { Count, Id, List, NamedEnum, NamedObject, Nullable, ref, Text, Timestamp } from './common.ts'
import { Order, OrderStatus } from './orders.ts'

function json(description: string) {
  return Type.Record(Type.String(), Type.Unknown(), { description })
}

export const OrderHistoryEntry = NamedObject(
  'OrderHistoryEntry',
  'A change of state, of fields, or of both; `item` is a line',
  {
    changedAt: Timestamp('Time of the change'),
    userId: Nullable(Id('Who changed it, or null for an anonymous customer or a deleted user')),
    userName: Nullable(Text('Name of the user at that time', 'Анна Петрова')),
    fromStatus: Nullable(ref(OrderStatus), { description: 'Previous state, or null when placed' }),
    toStatus: ref(OrderStatus, { description: 'State afterwards; the previous one if only fields changed' }),
    before: Nullable(json('Values of the changed fields before; null: none changed')),
    after: Nullable(json('Values of the changed fields after; null: none changed')),
  },
)

export const SubmitOutcome = NamedEnum(
  'SubmitOutcome',
  'Outcome of a submission; after UNCLEAR the supplier may have the order',
  SUBMIT_OUTCOMES,
)

export const SubmitAttempt = NamedObject('SubmitAttempt', 'An attempt to submit an order to the supplier', {
  startedAt: Timestamp('Start time'),
  durationMs: Nullable(Count('Duration in milliseconds, or null while in progress')),
  outcome: Nullable(ref(SubmitOutcome), {
    description: 'Outcome, or null while in progress',
    examples: ['ACCEPTED'],
  }),
  error: Nullable(Text('Error message')),
  request: json('Request body without secrets'),
  response: Nullable(json('Response body without secrets, or null if none')),
})

export const OrderDetails = NamedObject('OrderDetails', 'An order with its history and submit attempts', {
  ...Order.properties,
  history: List(OrderHistoryEntry, 'Changes, oldest first'),
  submitAttempts: List(SubmitAttempt, 'Submit attempts, oldest first'),
})
export type OrderDetails = Static<typeof OrderDetails>

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
