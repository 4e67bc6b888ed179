import { type Static, type TSchema, Type } from '@sinclair/typebox'
import type { OrderStatus } from '../rules/orders/states.ts'
import { Count, described, Id, Nullable, ref, Timestamp } from './common.ts'
import { RunStatus, SyncTrigger } from './sync.ts'

const Orders = described(Count, 'Orders in this state')
const counted: Record<OrderStatus, typeof Orders> = {
  NEW: Orders,
  PROCESSING: Orders,
  SENT: Orders,
  ERROR: Orders,
  CANCELLED: Orders,
  COMPLETED: Orders,
  ARCHIVED: Orders,
}

export const OrderCounts = Type.Object(counted, {
  $id: 'OrderCounts',
  description: 'How many orders are in each state',
  examples: [{ NEW: 4, PROCESSING: 2, SENT: 11, ERROR: 1, CANCELLED: 3, COMPLETED: 208, ARCHIVED: 40 }],
})
export type OrderCounts = Static<typeof OrderCounts>

function byPeriod<T extends TSchema>(value: T, description: string) {
  return Type.Object({ today: value, days7: value, days30: value }, { description })
}

const Amount = Type.Number({ minimum: 0, description: 'Money, with the cost of delivery' })

const LastRun = Type.Object(
  {
    id: described(Id, 'Id of the run'),
    status: ref(RunStatus),
    trigger: ref(SyncTrigger),
    startedAt: described(Timestamp, 'When it began'),
    finishedAt: Nullable(described(Timestamp, 'When it ended; null: it is under way')),
    error: Nullable(Type.String({ description: 'Why it failed' })),
  },
  { description: 'The last run of the supplier sync' },
)

const EXAMPLE = {
  orders: OrderCounts.examples?.[0],
  revenue: { today: 18_820.5, days7: 96_400, days30: 402_311.9 },
  ordersByPeriod: {
    today: { NEW: 2, PROCESSING: 1, SENT: 1, ERROR: 0, CANCELLED: 0, COMPLETED: 1, ARCHIVED: 0 },
    days7: { NEW: 4, PROCESSING: 2, SENT: 6, ERROR: 1, CANCELLED: 1, COMPLETED: 12, ARCHIVED: 0 },
    days30: { NEW: 4, PROCESSING: 2, SENT: 11, ERROR: 1, CANCELLED: 3, COMPLETED: 61, ARCHIVED: 0 },
  },
  waiting: { newOrders: 4, submitErrors: 1, newContacts: 3, failedMails: 0 },
  sync: {
    lastRun: {
      id: 512,
      status: 'SUCCEEDED',
      trigger: 'CRON',
      startedAt: '2026-11-21T10:00:00.000Z',
      finishedAt: '2026-11-21T10:00:04.000Z',
      error: null,
    },
    failedRuns: 1,
    feedBuiltAt: '2026-11-21T10:00:05.000Z',
  },
  products: { active: 1945, withoutPrice: 10, withoutImage: 120, withoutCategory: 5 },
}

/** Contract section 7, "Dashboard". */
export const Dashboard = Type.Object(
  {
    orders: ref(OrderCounts, { description: 'All orders' }),
    revenue: byPeriod(Amount, 'Of orders that are SENT or COMPLETED, by when they were placed'),
    ordersByPeriod: byPeriod(ref(OrderCounts), 'Orders placed in the last days, today included'),
    waiting: Type.Object(
      {
        newOrders: described(Count, 'Orders that are NEW'),
        submitErrors: described(Count, 'Orders that are ERROR'),
        newContacts: described(Count, 'Contact requests that are NEW'),
        failedMails: described(Count, 'Mails that were given up'),
      },
      { description: 'What waits for somebody' },
    ),
    sync: Type.Object(
      {
        lastRun: Nullable(LastRun, { description: 'Null: there was none in 30 days' }),
        failedRuns: described(Count, 'Runs that failed in the last 30 days'),
        feedBuiltAt: Nullable(described(Timestamp, 'When the published feed was built; null: none is')),
      },
      { description: 'How the catalogue is kept up to date' },
    ),
    products: Type.Object(
      {
        active: described(Count, 'Active products'),
        withoutPrice: described(Count, 'Active ones without a price above zero'),
        withoutImage: described(Count, 'Active ones without a picture'),
        withoutCategory: described(Count, 'Active ones in no category'),
      },
      { description: 'What is for sale, and what is amiss with it' },
    ),
  },
  {
    $id: 'Dashboard',
    description: "The shop at a glance; days are those of the shop's calendar",
    examples: [EXAMPLE],
  },
)
export type Dashboard = Static<typeof Dashboard>
