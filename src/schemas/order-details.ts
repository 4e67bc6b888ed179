import { type Static, Type } from '@sinclair/typebox'
import { SUBMIT_OUTCOMES } from '../../db/tables/orders.ts'
import { Count, described, Enum, Id, Nullable, ref, Timestamp } from './common.ts'
import { Order, OrderStatus } from './orders.ts'

export const OrderHistoryEntry = Type.Object(
  {
    changedAt: described(Timestamp, 'When it was done'),
    userId: Nullable(described(Id, 'Who did it; null: an anonymous customer, or the service itself')),
    userName: Nullable(Type.String({ description: 'What they were called then' })),
    fromStatus: Nullable(ref(OrderStatus), { description: 'Where it stood; null: it was placed' }),
    toStatus: ref(OrderStatus),
  },
  {
    $id: 'OrderHistoryEntry',
    description: 'A change of state',
    examples: [
      {
        changedAt: '2026-11-21T10:05:00.000Z',
        userId: 7,
        userName: 'Анна Петрова',
        fromStatus: null,
        toStatus: 'NEW',
      },
    ],
  },
)

export const SubmitOutcome = Enum(SUBMIT_OUTCOMES, {
  $id: 'SubmitOutcome',
  description: 'What the supplier made of an attempt; UNCLEAR: he may have the order',
})

function json(description: string) {
  return Type.Record(Type.String(), Type.Unknown(), { description })
}

export const SubmitAttempt = Type.Object(
  {
    startedAt: described(Timestamp, 'When it began'),
    durationMs: Nullable(described(Count, 'Milliseconds; null: it is under way')),
    outcome: Nullable(ref(SubmitOutcome), { description: 'What came of it; null: it is under way' }),
    error: Nullable(Type.String({ description: 'What went wrong' })),
    request: json('What was sent, without secrets'),
    response: Nullable(json('What was answered, without secrets; null: nothing')),
  },
  {
    $id: 'SubmitAttempt',
    description: 'An attempt to send an order to the supplier',
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

/** An order with all that happened to it, for staff. */
export const OrderDetails = Type.Object(
  {
    ...Order.properties,
    history: Type.Array(ref(OrderHistoryEntry), { description: 'Its changes of state, the first one first' }),
    submitAttempts: Type.Array(ref(SubmitAttempt), {
      description: 'The attempts to submit it, the first one first',
    }),
  },
  {
    $id: 'OrderDetails',
    description: 'An order with all that happened to it',
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
