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
