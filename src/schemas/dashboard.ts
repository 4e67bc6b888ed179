import { type Static, type TSchema, Type } from '@sinclair/typebox'
import type { OrderStatus } from '../rules/orders/states.ts'
import { Count, Day, described, Id, Nullable, ref, Timestamp } from './common.ts'
import { RunStatus, SyncTrigger } from './sync.ts'

const Orders = described(Count, 'Orders with this status')
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
  description: 'Number of orders by status',
  examples: [{ NEW: 4, PROCESSING: 2, SENT: 11, ERROR: 1, CANCELLED: 3, COMPLETED: 208, ARCHIVED: 40 }],
})
export type OrderCounts = Static<typeof OrderCounts>

function byPeriod<T extends TSchema>(value: T, description: string) {
  return Type.Object({ today: value, days7: value, days30: value }, { description })
}

const Amount = Type.Number({ minimum: 0, description: 'Amount, including delivery' })

const LastRun = Type.Object(
  {
    id: described(Id, 'Id of the run'),
    status: ref(RunStatus),
    trigger: ref(SyncTrigger),
    startedAt: described(Timestamp, 'Start'),
    finishedAt: Nullable(described(Timestamp, 'End; null: still running')),
    error: Nullable(Type.String({ description: 'Why the run failed' })),
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
    revenue: byPeriod(Amount, 'Revenue of orders that are SENT or COMPLETED, by the day they were placed'),
    ordersByPeriod: byPeriod(ref(OrderCounts), 'Orders placed in the last days, including today'),
    waiting: Type.Object(
      {
        newOrders: described(Count, 'Orders that are NEW'),
        submitErrors: described(Count, 'Orders that are ERROR'),
        newContacts: described(Count, 'Contact requests that are NEW'),
        failedMails: described(Count, 'Mails that could not be delivered'),
      },
      { description: 'Work for staff' },
    ),
    sync: Type.Object(
      {
        lastRun: Nullable(LastRun, { description: 'Null: none in the last 30 days' }),
        failedRuns: described(Count, 'Runs that failed in the last 30 days'),
        feedBuiltAt: Nullable(described(Timestamp, 'When the published feed was built; null: not yet')),
      },
      { description: 'State of the supplier sync and the feed' },
    ),
    products: Type.Object(
      {
        active: described(Count, 'Active products'),
        withoutPrice: described(Count, 'Active products without a price above zero'),
        withoutImage: described(Count, 'Active products without an image'),
        withoutCategory: described(Count, 'Active products without a category'),
      },
      { description: 'Products for sale, and those with missing data' },
    ),
  },
  {
    $id: 'Dashboard',
    description: "Key figures of the shop; days are those of the shop's calendar",
    examples: [EXAMPLE],
  },
)
export type Dashboard = Static<typeof Dashboard>

/** Contract section 7, "For MANAGER". */
export const OrderSummary = Type.Object(
  {
    byStatus: ref(OrderCounts, { description: 'All orders' }),
    waiting: Type.Object(
      {
        newOrders: described(Count, 'Orders that are NEW'),
        submitErrors: described(Count, 'Orders that are ERROR'),
        newContacts: described(Count, 'Contact requests that are NEW'),
      },
      { description: 'Work for staff' },
    ),
    today: Type.Object(
      {
        orders: described(Count, 'Orders placed, whatever became of them'),
        revenue: described(Amount, 'Revenue of those that are SENT or COMPLETED, including delivery'),
      },
      { description: "Today in the shop's calendar" },
    ),
  },
  {
    $id: 'OrderSummary',
    description: "Figures of a manager's start page",
    examples: [
      {
        byStatus: OrderCounts.examples?.[0],
        waiting: { newOrders: 4, submitErrors: 1, newContacts: 3 },
        today: { orders: 5, revenue: 18_820.5 },
      },
    ],
  },
)
export type OrderSummary = Static<typeof OrderSummary>

export const OrderSeriesQuery = Type.Object({
  days: Type.Integer({
    minimum: 1,
    maximum: 366,
    default: 30,
    description: 'Days, ending with today',
    examples: [30],
  }),
})

export const OrderDay = Type.Object(
  {
    date: described(Day, "Day of the shop's calendar"),
    orders: described(Count, 'Orders placed, whatever became of them'),
    revenue: described(Amount, 'Revenue of those that are SENT or COMPLETED, including delivery'),
    newCustomers: described(Count, 'Accounts of customers registered'),
  },
  {
    $id: 'OrderDay',
    description: 'Orders of a day',
    examples: [{ date: '2026-11-21', orders: 5, revenue: 18_820.5, newCustomers: 2 }],
  },
)

export const OrderSeries = Type.Array(ref(OrderDay), { description: 'Each day, the oldest first' })
export type OrderSeries = Static<typeof OrderSeries>
