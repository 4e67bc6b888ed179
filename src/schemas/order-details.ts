import { type Static, Type } from '@sinclair/typebox'
import { SUBMIT_OUTCOMES } from '../../db/tables/orders.ts'
import * as t from './common.ts'
import { Order, OrderStatus } from './orders.ts'

function json(description: string) {
  return Type.Record(Type.String(), Type.Unknown(), { description })
}

export const OrderHistoryEntry = t.NamedObject(
  'OrderHistoryEntry',
  'A change of status, of fields, or of both; `item` is a line',
  {
    changedAt: t.Timestamp('Time of the change'),
    userId: t.Nullable(t.Id('Who changed it, or null for an anonymous customer or a deleted user')),
    userName: t.Nullable(t.Text('Name of the user at that time', 'Анна Петрова')),
    fromStatus: t.Nullable(t.ref(OrderStatus), { description: 'Previous status; null: the order was placed' }),
    toStatus: t.ref(OrderStatus, { description: 'Status afterwards; the previous one if only fields changed' }),
    before: t.Nullable(json('Values of the changed fields before; null: none changed')),
    after: t.Nullable(json('Values of the changed fields after; null: none changed')),
  },
)

const SubmitOutcome = t.NamedEnum(
  'SubmitOutcome',
  'Outcome of a submission; after UNCLEAR the supplier may have the order',
  SUBMIT_OUTCOMES,
)

export const SubmitAttempt = t.NamedObject('SubmitAttempt', 'An attempt to submit an order to the supplier', {
  startedAt: t.Timestamp('Start time'),
  durationMs: t.Nullable(t.Count('Duration in milliseconds, or null while in progress')),
  outcome: t.Nullable(t.ref(SubmitOutcome), {
    description: 'Outcome, or null while in progress',
    examples: ['ACCEPTED'],
  }),
  error: t.Nullable(t.Text('Error message')),
  request: json('Request body without secrets'),
  response: t.Nullable(json('Response body without secrets, or null if none')),
})

export const OrderDetails = t.NamedObject('OrderDetails', 'An order with its history and submit attempts', {
  ...Order.properties,
  history: t.List(OrderHistoryEntry, 'Changes, oldest first'),
  submitAttempts: t.List(SubmitAttempt, 'Submit attempts, oldest first'),
})
export type OrderDetails = Static<typeof OrderDetails>

const TRACKING_TOKEN = 'q1Zk6mE1v0bJ8xF3rT9yLw2uHs5cNd7aPgKiOeXzB4M'

/** Contract section 5, "The customer". */
export const PlacedOrder = t.NamedObject('PlacedOrder', 'A placed order with the token to track it', {
  ...Order.properties,
  trackingToken: Type.Optional(
    t.Text(
      'Shows the order to anyone who has it, at `/api/v1/orders/track/{trackingToken}`; sent only here and in mails to the customer',
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
