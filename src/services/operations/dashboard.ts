import type { Db } from '../../../db/database.ts'
import { countNewContacts, readDailySales, readDashboard } from '../../../db/queries/operations/dashboard.ts'
import { countOrders, type OrderFilter } from '../../../db/queries/orders/orders.ts'
import type { Deps } from '../../deps.ts'
import { calendarDay } from '../../rules/lists.ts'
import { amountOf, minorOf, toAmount } from '../../rules/money.ts'
import type { Dashboard, OrderSeries, OrderSummary } from '../../schemas/dashboard.ts'
import type { OrderFilters } from '../../schemas/orders.ts'
import { toOrderFilter } from '../orders/orders.ts'
import { listSyncRuns } from '../supplier/sync.ts'

/** A status without orders counts 0. */
const NO_ORDERS = { NEW: 0, PROCESSING: 0, SENT: 0, ERROR: 0, CANCELLED: 0, COMPLETED: 0, ARCHIVED: 0 }

/** Reads the key figures of the shop (docs/orders.md). */
export async function getDashboard(deps: Deps): Promise<Dashboard> {
  const row = await readDashboard(deps.db)
  const orders = await countByStatus(deps.db, {})
  const sales = await readSales(deps, 30)
  const revenueOf = (days: number) =>
    amountOf(sales.slice(-days).reduce((sum, { revenue }) => sum + minorOf(revenue), 0n))
  const [lastRun = null] = (await listSyncRuns(deps, { page: 0, size: 1 })).content
  return {
    orders,
    revenue: { today: revenueOf(1), days7: revenueOf(7), days30: revenueOf(30) },
    waiting: {
      newOrders: orders.NEW,
      submitErrors: orders.ERROR,
      newContacts: await countNewContacts(deps.db),
      failedMails: row.failed_mails,
    },
    sync: { lastRun, feedBuiltAt: row.feed_built_at?.toISOString() ?? null },
    products: {
      active: row.active,
      withoutPrice: row.without_price,
      withoutImage: row.without_image,
      withoutCategory: row.without_category,
    },
  }
}

/** Reads the figures of a manager's start page, and counts the orders that the filters leave (docs/orders.md). */
export async function getOrderSummary(deps: Deps, query: OrderFilters): Promise<OrderSummary> {
  const { NEW, ERROR } = await countByStatus(deps.db, { statuses: ['NEW', 'ERROR'] })
  const [today] = await getOrderSeries(deps, 1)
  return {
    byStatus: await countByStatus(deps.db, toOrderFilter(deps, query)),
    waiting: { newOrders: NEW, submitErrors: ERROR, newContacts: await countNewContacts(deps.db) },
    today: { orders: today?.orders ?? 0, revenue: today?.revenue ?? 0 },
  }
}

async function countByStatus(db: Db, filter: OrderFilter): Promise<typeof NO_ORDERS> {
  const rows = await countOrders(db, filter)
  return { ...NO_ORDERS, ...Object.fromEntries(rows.map(({ status, count }) => [status, count])) }
}

/** Reads orders, revenue and new accounts of each of the last days (docs/orders.md). */
export async function getOrderSeries(deps: Deps, days: number): Promise<OrderSeries> {
  return (await readSales(deps, days)).map((row) => ({
    date: row.date,
    orders: row.orders,
    revenue: toAmount(row.revenue),
    newCustomers: row.new_customers,
  }))
}

function readSales({ db, config, now }: Deps, days: number) {
  const today = now()
  const calendar = Array.from({ length: days + 1 }, (_, n) => calendarDay(today, config.shopTimeZone, days - 1 - n))
  return readDailySales(db, calendar)
}
