import { sql } from 'kysely'
import type { Db } from '../../database.ts'
import { onlyRow } from '../../prepared.ts'
import type { OrderStatus } from '../../tables/orders.ts'

type Amounts<T> = { today: T; days7: T; days30: T }

type DashboardRow = {
  /** Number of orders by status; a status without orders is absent. */
  orders: { [Status in OrderStatus]?: number }
  revenue: Amounts<number>
  new_contacts: number
  failed_mails: number
  feed_built_at: Date | null
  active: number
  without_price: number
  without_image: number
  without_category: number
}

/**
 * Reads the figures of the dashboard in one statement, so that they are consistent.
 * @param begin start of each period
 */
export async function readDashboard(db: Db, { today, days7, days30 }: Amounts<Date>): Promise<DashboardRow> {
  const { rows } = await sql<DashboardRow>`
    with revenue as (
      select coalesce(sum(total) filter (where created_at >= ${today}), 0) as today,
        coalesce(sum(total) filter (where created_at >= ${days7}), 0) as days7, coalesce(sum(total), 0) as days30
      from orders where status in ('SENT', 'COMPLETED') and created_at >= ${days30}
    ), sale as materialized (
      select (select count(*) from products where active) as active,
        -- A merge of two indexes; an anti-join of the others would not be.
        (select count(*) from products where active and id in (select product_id from product_images)) as shown
    )
    select
      coalesce((
        select json_object_agg(status, count)
        from (select status, count(*) as count from orders group by status) counted
      ), '{}') as orders,
      (select row_to_json(revenue) from revenue) as revenue,
      (select count(*) from contact_requests where status = 'NEW') as new_contacts,
      (select count(*) from mails where status = 'FAILED') as failed_mails,
      (select built_at from publications where kind = 'feed' order by id desc limit 1) as feed_built_at,
      active,
      (select count(*) from products where active and coalesce(final_price, 0) <= 0) as without_price,
      (select count(*) from products where active and category_id is null) as without_category,
      active - shown as without_image
    from sale`.execute(db)
  return onlyRow(rows)
}

type CalendarDay = { date: string; begin: Date }
/** `revenue` is decimal text. */
type DailySalesRow = { date: string; orders: number; revenue: string; new_customers: number }

/** Counts orders, revenue and new accounts of each of the days, which are ascending and end with today. */
export async function readDailySales(db: Db, days: CalendarDay[]): Promise<DailySalesRow[]> {
  const begins = days.map(({ begin }) => begin)
  const dates = days.map(({ date }) => date)
  const bucket = sql`width_bucket(created_at, ${begins}::timestamptz[])`
  const { rows } = await sql<DailySalesRow>`
    with figures as (
      select ${bucket} as day, 1 as orders, case when status in ('SENT', 'COMPLETED') then total else 0 end as revenue,
        0 as new_customers
      from orders where created_at >= ${begins[0]}
      union all
      select ${bucket}, 0, 0, 1 from users where created_at >= ${begins[0]} and role = 'USER'
    )
    select date, coalesce(sum(orders), 0)::int as orders, coalesce(sum(revenue), 0) as revenue,
      coalesce(sum(new_customers), 0)::int as new_customers
    from unnest(${dates}::text[]) with ordinality calendar (date, day) left join figures using (day)
    group by day, date order by day`.execute(db)
  return rows
}
