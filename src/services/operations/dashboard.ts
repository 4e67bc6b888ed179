import { type DashboardRow, readDashboard } from '../../../db/queries/operations/dashboard.ts'
import type { Deps } from '../../deps.ts'
import { type Periods, periodsUntil } from '../../rules/operations/periods.ts'
import type { Dashboard, OrderCounts } from '../../schemas/dashboard.ts'

/** Reads the key figures of the shop (contract section 7, "Dashboard"). */
export async function getDashboard({
  db,
  config,
  now,
}: Pick<Deps, 'db' | 'config' | 'now'>): Promise<Dashboard> {
  const row = await readDashboard(db, periodsUntil(now(), config.shopTimeZone))
  const orders = countOrders(row, 'total')
  return {
    orders,
    revenue: {
      today: Number(row.revenue_today),
      days7: Number(row.revenue_days7),
      days30: Number(row.revenue_days30),
    },
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
    products: {
      active: row.active,
      withoutPrice: row.without_price,
      withoutImage: row.without_image,
      withoutCategory: row.without_category,
    },
  }
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
