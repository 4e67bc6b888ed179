import { readDailySales } from '../../../db/queries/operations/daily-sales.ts'
import { type DashboardRow, readDashboard } from '../../../db/queries/operations/dashboard.ts'
import type { Deps } from '../../deps.ts'
import { daysUntil, type Periods, periodsUntil } from '../../rules/operations/periods.ts'
import { Dashboard, type OrderCounts, type OrderSeries, type OrderSummary } from '../../schemas/dashboard.ts'
import { toWire } from '../wire.ts'

/** Reads the key figures of the shop (contract section 7, "Dashboard"). */
export async function getDashboard({ db, config, now }: Deps): Promise<Dashboard> {
  const row = await readDashboard(db, periodsUntil(now(), config.shopTimeZone))
  const orders = countOrders(row, 'total')
  return {
    orders,
    revenue: row.revenue,
    ordersByPeriod: {
      today: countOrders(row, 'today'),
      days7: countOrders(row, 'days7'),
      days30: countOrders(row, 'days30'),
    },
    waiting: {
      newOrders: orders.NEW,
      submitErrors: orders.ERROR,
      newContacts: row.new_contacts,
      failedMails: row.failed_mails,
    },
    sync: {
      lastRun: lastRunOf(row),
      failedRuns: row.failed_runs,
      feedBuiltAt: row.feed_built_at?.toISOString() ?? null,
    },
    products: toWire(Dashboard.properties.products, row),
  }
}

/** Reads the figures of a manager's start page (contract section 7, "For MANAGER"). */
export async function getOrderSummary(deps: Deps): Promise<OrderSummary> {
  const { orders, ordersByPeriod, revenue, waiting } = await getDashboard(deps)
  const { newOrders, submitErrors, newContacts } = waiting
  const placed = Object.values(ordersByPeriod.today).reduce((sum, count) => sum + count, 0)
  return {
    byStatus: orders,
    waiting: { newOrders, submitErrors, newContacts },
    today: { orders: placed, revenue: revenue.today },
  }
}

/** Reads orders, revenue and new accounts of each of the last days (contract section 7, "For MANAGER"). */
export async function getOrderSeries({ db, config, now }: Deps, days: number): Promise<OrderSeries> {
  const calendar = daysUntil(now(), config.shopTimeZone, days)
  const rows = await readDailySales(
    db,
    calendar.map(({ begin }) => begin),
  )
  const byDay = new Map(rows.map((row) => [row.day, row]))
  return calendar.map(({ date }, index) => {
    const row = byDay.get(index + 1)
    return {
      date,
      orders: row?.orders ?? 0,
      revenue: Number(row?.revenue ?? 0),
      newCustomers: row?.new_customers ?? 0,
    }
  })
}

function countOrders({ orders }: DashboardRow, period: keyof Periods | 'total'): OrderCounts {
  const counts = { NEW: 0, PROCESSING: 0, SENT: 0, ERROR: 0, CANCELLED: 0, COMPLETED: 0, ARCHIVED: 0 }
  for (const row of orders) counts[row.status] = row[period]
  return counts
}

function lastRunOf({ last_run }: DashboardRow): Dashboard['sync']['lastRun'] {
  if (last_run === null) return null
  const { id, status, trigger, started_at, finished_at, error } = last_run
  const iso = (time: string) => new Date(time).toISOString()
  return {
    id,
    status,
    trigger,
    startedAt: iso(started_at),
    finishedAt: finished_at && iso(finished_at),
    error,
  }
}
