import { type Static, Type } from '@sinclair/typebox'
import { ALERT_NAMES } from '../rules/operations/alerts.ts'
import { ORDER_STATUSES } from '../rules/orders/states.ts'
import * as t from './common.ts'
import { RUN } from './runs.ts'
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

/** Contract section 7, "Dashboard". */
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

/** Contract section 7, "For MANAGER". */
export const OrderSummary = t.NamedObject('OrderSummary', "Figures of a manager's start page", {
  byStatus: t.ref(OrderCounts, { description: 'All orders' }),
  waiting: Type.Object(waiting, { description: 'Work for staff' }),
  today: Type.Object({ orders: Placed, revenue: PlacedRevenue }, { description: "Today in the shop's calendar" }),
})
export type OrderSummary = Static<typeof OrderSummary>

export const OrderSeriesQuery = Type.Object({
  days: Type.Integer({ minimum: 1, maximum: 366, default: 30, description: 'Days, ending with today' }),
})

export const OrderDay = t.NamedObject('OrderDay', 'Orders of a day', {
  date: t.Day("Day of the shop's calendar"),
  orders: Placed,
  revenue: PlacedRevenue,
  newCustomers: t.Count('Customer accounts registered'),
})

export const OrderSeries = t.List(OrderDay, 'Each day, the oldest first')
export type OrderSeries = Static<typeof OrderSeries>

const AlertName = t.NamedEnum('AlertName', 'What is wrong; docs/alerts.md has a section for each', ALERT_NAMES)

export const Alert = t.NamedObject('Alert', 'Something that needs, or needed, an operator', {
  id: t.Id('Id of the alert'),
  name: t.ref(AlertName),
  summary: t.Text(
    'What it means, in English or Russian by `Accept-Language`',
    'prices and stock are out of date: no sync has succeeded for too long',
  ),
  details: t.Text(
    'The facts, as the last check found them',
    'Last success: 2026-11-21T10:05:03Z. Last error: The supplier answered 500',
  ),
  beganAt: t.Timestamp('When a check first found it'),
  endedAt: t.Nullable(t.Timestamp('When a check no longer found it; null: it is open')),
})
export type Alert = Static<typeof Alert>

const JobName = t.FreeText(50, 'Name of the job', 'supplier-sync')

export const JobRun = t.NamedObject('JobRun', 'A run of a background job', {
  ...RUN,
  instance: t.Text('Host and process id of the instance', 'shop-1:17'),
})
export type JobRun = Static<typeof JobRun>

export const Job = t.NamedObject('Job', 'A background job, as all instances see it', {
  name: JobName,
  description: t.Text('What the job does', "Copy the supplier's catalogue"),
  schedule: t.Text('Cron pattern with seconds, in UTC, or the pause after each run', '0 */5 * * * *'),
  enabled: Type.Boolean({ description: 'Whether the schedule is on; a manual run needs no schedule' }),
  running: Type.Boolean({ description: 'Whether a run is in progress on any instance' }),
  instance: t.Nullable(t.Text('Host and process id of the instance that runs it now', 'shop-1:17')),
  nextRunAt: t.Nullable(t.Timestamp('Time of the next scheduled run; null: switched off or running')),
  lastRun: t.Nullable(t.ref(JobRun), { description: 'The newest run; null: it has never run' }),
})
export type Job = Static<typeof Job>

export const JobParams = Type.Object({ name: JobName })

export const JobChange = t.NamedObject('JobChange', 'A change of a job', {
  enabled: Type.Boolean({ description: 'Whether the job runs on its schedule' }),
})
export type JobChange = Static<typeof JobChange>

export const Health = t.NamedObject('Health', 'The service is up', {
  status: Type.Literal('UP', { description: 'Always UP: failures are a 503' }),
})
