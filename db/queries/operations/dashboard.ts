import { sql } from 'kysely'
import { ORDER_STATUSES } from '../../../src/rules/orders/states.ts'
import type { Db } from '../../database.ts'
import type { OrderStatus } from '../../tables/orders.ts'
import type { SyncRunRow } from '../../tables/sync.ts'

type Amounts<T> = { today: T; days7: T; days30: T }

export type DashboardRow = {
  /** Number of orders by status: all, and those placed in each period. */
  orders: ({ status: OrderStatus; total: number } & Amounts<number>)[]
  revenue: Amounts<number>
  new_contacts: number
  failed_mails: number
  failed_runs: number
  /** Times are JSON strings. */
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
 * Reads all figures of the dashboard in one statement, so that they are consistent. Most are counts over an index range,
 * which is several times faster than grouping 100 000 orders by status. Disjoint parts of the periods are counted and
 * then added up, so that each order is counted once; `materialized` prevents counting again for each figure.
 * @param begin start of each period
 */
export async function readDashboard(db: Db, begin: Amounts<Date>): Promise<DashboardRow> {
  const { today, days7, days30 } = begin
  const { rows } = await sql<DashboardRow>`
    with parts (days, begins, ends) as (
      values (null::int, '-infinity'::timestamptz, ${days30}::timestamptz), (30, ${days30}, ${days7}::timestamptz),
        (7, ${days7}, ${today}::timestamptz), (1, ${today}, 'infinity')
    ), counted as materialized (
      select status, days, (
        select count(*) from orders
        where status = each.status and created_at >= begins and created_at < ends) as count
      from unnest(${[...ORDER_STATUSES]}::text[]) as each(status), parts
    ), placed as (
      select status, sum(count)::int as total, sum(count) filter (where days <= 1)::int as today,
        sum(count) filter (where days <= 7)::int as days7, sum(count) filter (where days <= 30)::int as days30
      from counted group by status
    ), revenue as (
      select coalesce(sum(total) filter (where created_at >= ${today}), 0) as today,
        coalesce(sum(total) filter (where created_at >= ${days7}), 0) as days7, coalesce(sum(total), 0) as days30
      from orders where status in ('SENT', 'COMPLETED') and created_at >= ${days30}
    ), sale as materialized (
      select (select count(*) from products where active) as active,
        -- A merge of two indexes; an anti-join of the others would not be.
        (select count(*) from products where active and id in (select product_id from product_images)) as shown
    )
    select
      (select json_agg(placed) from placed) as orders,
      (select row_to_json(revenue) from revenue) as revenue,
      (select count(*) from contact_requests where status = 'NEW') as new_contacts,
      (select count(*) from mails where status = 'FAILED') as failed_mails,
      (select count(*) from sync_runs where status = 'FAILED' and started_at >= ${days30}) as failed_runs,
      (select row_to_json(run) from (
        select id, status, trigger, error, started_at, finished_at from sync_runs order by id desc limit 1
      ) run) as last_run,
      (select built_at from publications where kind = 'feed' order by id desc limit 1) as feed_built_at,
      active,
      (select count(*) from products where active and coalesce(final_price, 0) <= 0) as without_price,
      (select count(*) from products where active and category_id is null) as without_category,
      active - shown as without_image
    from sale`.execute(db)
  const [row] = rows
  if (row === undefined) throw new Error('The dashboard has no figures')
  return row
}
