import { type Static, Type } from '@sinclair/typebox'
import { ORDER_STATUSES } from '../rules/orders/states.ts'
import * as t from './common.ts'
import { SyncRun } from './sync.ts'

const OrderCounts = t.CountsBy('OrderCounts', 'Number of orders by status', ORDER_STATUSES)

const Amount = Type.Number({ minimum: 0, description: 'Amount, including delivery' })

const Placed = t.Count('Orders placed, whatever their status is now')
const PlacedRevenue = { ...Amount, description: 'Revenue of those that are SENT or COMPLETED, including delivery' }

const waiting = {
  newOrders: t.Count('Orders that are NEW'),
  submitErrors: t.Count('Orders that are ERROR'),
  newContacts: t.Count('Contact requests that are NEW'),
}

export const Dashboard = t.NamedObject('Dashboard', "Key figures of the shop; days are those of the shop's calendar", {
  orders: t.ref(OrderCounts, { description: 'All orders' }),
  revenue: Type.Object(
    { today: Amount, days7: Amount, days30: Amount },
    { description: 'Revenue of orders that are SENT or COMPLETED, by the day they were placed' },
  ),
  waiting: Type.Object(
    { ...waiting, failedMails: t.Count('Mails that could not be delivered') },
    { description: 'Work for staff' },
  ),
  sync: Type.Object(
    {
      lastRun: t.Nullable(t.ref(SyncRun), { description: 'The newest run; null: none is kept' }),
      feedBuiltAt: t.Nullable(t.Timestamp('When the published feed was built; null: not yet')),
    },
    { description: 'State of the supplier sync and the feed' },
  ),
  products: Type.Object(
    {
      active: t.Count('Active products'),
      withoutPrice: t.Count('Active products without a price above zero'),
      withoutImage: t.Count('Active products without an image'),
      withoutCategory: t.Count('Active products without a category'),
    },
    { description: 'Products for sale, and those with missing data' },
  ),
})
export type Dashboard = Static<typeof Dashboard>

export const OrderSummary = t.NamedObject('OrderSummary', "Figures of a manager's start page", {
  byStatus: t.ref(OrderCounts, { description: 'The orders that the filters leave' }),
  waiting: Type.Object(waiting, { description: 'Work for staff, whatever the filters' }),
  today: Type.Object(
    { orders: Placed, revenue: PlacedRevenue },
    { description: "Today in the shop's calendar, likewise" },
  ),
})
export type OrderSummary = Static<typeof OrderSummary>

export const OrderSeriesQuery = Type.Object({
  days: Type.Integer({ minimum: 1, maximum: 366, default: 30, description: 'Days, ending with today' }),
})

const OrderDay = t.NamedObject('OrderDay', 'Orders of a day', {
  date: t.Day("Day of the shop's calendar"),
  orders: Placed,
  revenue: PlacedRevenue,
  newCustomers: t.Count('Customer accounts registered'),
})

export const OrderSeries = t.List(OrderDay, 'Each day, the oldest first')
export type OrderSeries = Static<typeof OrderSeries>
