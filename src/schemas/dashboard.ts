import { type Static, type TSchema, Type } from '@sinclair/typebox'
import { ORDER_STATUSES } from '../rules/orders/states.ts'
import { Count, CountsBy, Day, List, NamedObject, Nullable, ref, Timestamp } from './common.ts'
import { SyncRun } from './sync.ts'

export const OrderCounts = CountsBy('OrderCounts', 'Number of orders by status', ORDER_STATUSES)
export type OrderCounts = Static<typeof OrderCounts>

function byPeriod<T extends TSchema>(value: T, description: string) {
  return Type.Object({ today: value, days7: value, days30: value }, { description })
}

const Amount = Type.Number({ minimum: 0, description: 'Amount, including delivery' })

const { id, status, trigger, startedAt, finishedAt, error } = SyncRun.properties
const LastRun = Type.Object({ id, status, trigger, startedAt, finishedAt, error })

const Placed = Count('Orders placed, whatever their status is now')
const PlacedRevenue = {
  ...Amount,
  description: 'Revenue of those that are SENT or COMPLETED, including delivery',
}

const waiting = {
  newOrders: Count('Orders that are NEW'),
  submitErrors: Count('Orders that are ERROR'),
  newContacts: Count('Contact requests that are NEW'),
}

/** Contract section 7, "Dashboard". */
export const Dashboard = NamedObject(
  'Dashboard',
  "Key figures of the shop; days are those of the shop's calendar",
  {
    orders: ref(OrderCounts, { description: 'All orders' }),
    revenue: byPeriod(Amount, 'Revenue of orders that are SENT or COMPLETED, by the day they were placed'),
    ordersByPeriod: byPeriod(ref(OrderCounts), 'Orders placed in the last days, including today'),
    waiting: Type.Object(
      { ...waiting, failedMails: Count('Mails that could not be delivered') },
      { description: 'Work for staff' },
    ),
    sync: Type.Object(
      {
        lastRun: Nullable(LastRun, { description: 'Null: none in the last 30 days' }),
        failedRuns: Count('Runs that failed in the last 30 days'),
        feedBuiltAt: Nullable(Timestamp('When the published feed was built; null: not yet')),
      },
      { description: 'State of the supplier sync and the feed' },
    ),
    products: Type.Object(
      {
        active: Count('Active products'),
        withoutPrice: Count('Active products without a price above zero'),
        withoutImage: Count('Active products without an image'),
        withoutCategory: Count('Active products without a category'),
      },
      { description: 'Products for sale, and those with missing data' },
    ),
  },
)
export type Dashboard = Static<typeof Dashboard>

/** Contract section 7, "For MANAGER". */
export const OrderSummary = NamedObject('OrderSummary', "Figures of a manager's start page", {
  byStatus: ref(OrderCounts, { description: 'All orders' }),
  waiting: Type.Object(waiting, { description: 'Work for staff' }),
  today: Type.Object(
    { orders: Placed, revenue: PlacedRevenue },
    { description: "Today in the shop's calendar" },
  ),
})
export type OrderSummary = Static<typeof OrderSummary>

export const OrderSeriesQuery = Type.Object({
  days: Type.Integer({
    minimum: 1,
    maximum: 366,
    default: 30,
    description: 'Days, ending with today',
  }),
})

export const OrderDay = NamedObject('OrderDay', 'Orders of a day', {
  date: Day("Day of the shop's calendar"),
  orders: Placed,
  revenue: PlacedRevenue,
  newCustomers: Count('Accounts of customers registered'),
})

export const OrderSeries = List(OrderDay, 'Each day, the oldest first')
export type OrderSeries = Static<typeof OrderSeries>
