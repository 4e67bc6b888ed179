import { sql } from 'kysely'
import { ORDER_STATUSES } from '../../../src/rules/orders/states.ts'
import type { Db } from '../../database.ts'
import type { OrderStatus } from '../../tables/orders.ts'
import type { SyncRunRow } from '../../tables/sync.ts'

type Amounts<T> = { today: T; days7: T; days30: T }

export type DashboardRow = {
  /** Of each status: all orders, and those placed in the periods. */
  orders: ({ status: OrderStatus; total: number } & Amounts<number>)[]
  /** Decimal text. */
  revenue_today: string
  revenue_days7: string
  revenue_days30: string
  new_contacts: number
  failed_mails: number
  failed_runs: number
  /** Times as JSON has them; null: there was none. */
  last_run:
    | (Pick<SyncRunRow, 'id' | 'status' | 'trigger' | 'error'> & {
        started_at: string
        finished_at: string | null
      })
    | null
  feed_built_at: Date | null
  active: number
  without_price: number
  without_image: number
  without_category: number
}

/**
 * All figures of the dashboard in one statement, so that they are of one moment. Each is a plain count of a range of an
 * index wherever it can be: grouping a hundred thousand orders by a text takes several times as long.
 * @param begin when the periods begin
 */
export async function readDashboard(db: Db, begin: Amounts<Date>): Promise<DashboardRow> {
  const { today, days7, days30 } = begin
  const placedSince = (from: Date) =>
    sql`(select count(*) from orders where status = each.status and created_at >= ${from})`
  const { rows } = await sql<DashboardRow>`
    with placed as (
      select status, (select count(*) from orders where status = each.status) as total,
        ${placedSince(today)} as today, ${placedSince(days7)} as days7, ${placedSince(days30)} as days30
      from unnest(${[...ORDER_STATUSES]}::text[]) as each(status)
    ), sold as (
      select id, created_at, delivery_cost from orders
      where status in ('SENT', 'COMPLETED') and created_at >= ${days30}
    ), amounts as (
      select created_at, delivery_cost as amount from sold
      union all
      select created_at, line_total from sold join order_items on order_id = sold.id
    ), revenue as (
      select coalesce(sum(amount) filter (where created_at >= ${today}), 0) as revenue_today,
        coalesce(sum(amount) filter (where created_at >= ${days7}), 0) as revenue_days7,
        coalesce(sum(amount), 0) as revenue_days30
      from amounts
    )
    select
      (select json_agg(placed) from placed) as orders,
      revenue.*,
      (select count(*) from contact_requests where status = 'NEW') as new_contacts,
      (select count(*) from mails where status = 'FAILED') as failed_mails,
      (select count(*) from sync_runs where status = 'FAILED' and started_at >= ${days30}) as failed_runs,
      (select row_to_json(run) from (
        select id, status, trigger, error, started_at, finished_at from sync_runs order by id desc limit 1
      ) run) as last_run,
      (select built_at from publications where kind = 'feed' order by id desc limit 1) as feed_built_at,
      (select count(*) from products where active) as active,
      (select count(*) from products where active and coalesce(final_price, 0) <= 0) as without_price,
      (select count(*) from products where active and category_id is null) as without_category,
      (select count(*) from products where active
        and not exists (select from product_images where product_id = products.id)) as without_image
    from revenue`.execute(db)
  const [row] = rows
  if (row === undefined) throw new Error('The dashboard has no figures')
  return row
}
