import { sql } from 'kysely'
import type { OrderStatus } from '../../../src/rules/orders/states.ts'
import type { Db } from '../../database.ts'
import { onlyRow } from '../../prepared.ts'

type DashboardRow = {
  /** Number of orders by status; a status without orders is absent. */
  orders: { [Status in OrderStatus]?: number }
  new_contacts: number
  failed_mails: number
  feed_built_at: Date | null
  active: number
  without_price: number
  without_image: number
  without_category: number
}

/** Reads the figures of the dashboard besides sales. */
export async function readDashboard(db: Db): Promise<DashboardRow> {
  const { rows } = await sql<DashboardRow>`
    select
      coalesce((
        select json_object_agg(status, count)
        from (select status, count(*) as count from orders group by status) counted
      ), '{}') as orders,
      (select count(*) from contact_requests where status = 'NEW') as new_contacts,
      (select count(*) from mails where status = 'FAILED') as failed_mails,
      (select built_at from publications where kind = 'feed' order by id desc limit 1) as feed_built_at,
      count(*) as active,
      count(*) filter (where coalesce(final_price, 0) <= 0) as without_price,
      count(*) filter (where category_id is null) as without_category,
      count(*) filter (where not exists (select from product_images i where i.product_id = products.id)) as without_image
    from products where active`.execute(db)
  return onlyRow(rows)
}

type CalendarDay = { date: string; begin: Date }
/** `revenue` is decimal text. */
type DailySalesRow = { date: string; orders: number; revenue: string; new_customers: number }

/** Counts orders, revenue and new accounts of each of the days, which are ascending and end with tomorrow, which is left out. */
export async function readDailySales(db: Db, days: CalendarDay[]): Promise<DailySalesRow[]> {
  const begins = days.map(({ begin }) => begin)
  const dates = days.slice(0, -1).map(({ date }) => date)
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
