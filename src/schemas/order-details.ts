import { type Static, Type } from '@sinclair/typebox'
import { SUBMIT_OUTCOMES } from '../../db/tables/orders.ts'
import { Count, described, Enum, Id, Nullable, ref, Timestamp } from './common.ts'
import { Order, OrderStatus } from './orders.ts'

function json(description: string) {
  return Type.Record(Type.String(), Type.Unknown(), { description })
}

export const OrderHistoryEntry = Type.Object(
  {
    changedAt: described(Timestamp, 'Time of the change'),
    userId: Nullable(described(Id, 'Who changed it, or null for an anonymous customer or a deleted user')),
    userName: Nullable(Type.String({ description: 'Name of the user at that time' })),
    fromStatus: Nullable(ref(OrderStatus), { description: 'Previous state, or null when placed' }),
    toStatus: ref(OrderStatus, { description: 'State afterwards; the previous one if only fields changed' }),
    before: Nullable(json('Values of the changed fields before; null: none changed')),
    after: Nullable(json('Values of the changed fields after; null: none changed')),
  },
  {
    $id: 'OrderHistoryEntry',
    description: 'A change of state, of fields, or of both; `item` is a line',
    examples: [
      {
        changedAt: '2026-11-21T10:05:00.000Z',
        userId: 7,
        userName: 'Анна Петрова',
        fromStatus: null,
        toStatus: 'NEW',
        before: null,
        after: null,
      },
    ],
  },
)

export const SubmitOutcome = Enum(SUBMIT_OUTCOMES, {
  $id: 'SubmitOutcome',
  description: 'Outcome of a submission; after UNCLEAR the supplier may have the order',
})

export const SubmitAttempt = Type.Object(
  {
    startedAt: described(Timestamp, 'Start time'),
    durationMs: Nullable(described(Count, 'Duration in milliseconds, or null while in progress')),
    outcome: Nullable(ref(SubmitOutcome), { description: 'Outcome, or null while in progress' }),
    error: Nullable(Type.String({ description: 'Error message' })),
    request: json('Request body without secrets'),
    response: Nullable(json('Response body without secrets, or null if none')),
  },
  {
    $id: 'SubmitAttempt',
    description: 'An attempt to submit an order to the supplier',
    examples: [
      {
        startedAt: '2026-11-21T10:10:00.000Z',
        durationMs: 412,
        outcome: 'ACCEPTED',
        error: null,
        request: { reference: '12' },
        response: { id: 'O-1001' },
      },
    ],
  },
)

export const OrderDetails = Type.Object(
  {
    ...Order.properties,
    history: Type.Array(ref(OrderHistoryEntry), { description: 'Changes, oldest first' }),
    submitAttempts: Type.Array(ref(SubmitAttempt), {
      description: 'Submit attempts, oldest first',
    }),
  },
  {
    $id: 'OrderDetails',
    description: 'An order with its history and submit attempts',
    examples: [
      {
        ...Order.examples?.[0],
        adminComment: 'Позвонить перед доставкой',
        submitError: null,
        history: OrderHistoryEntry.examples,
        submitAttempts: SubmitAttempt.examples,
      },
    ],
  },
)
export type OrderDetails = Static<typeof OrderDetails>
