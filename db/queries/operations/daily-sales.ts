import { sql } from 'kysely'
import type { Db } from '../../database.ts'

export type DailySalesRow = {
  /** Number of the day, from 1. */
  day: number
  orders: number
  /** Decimal text. */
  revenue: string
  new_customers: number
}

/**
 * Counts orders, revenue and new accounts by day; days without any are left out.
 * @param begins start of each day, ascending
 */
export async function readDailySales(db: Db, begins: Date[]): Promise<DailySalesRow[]> {
  const first = begins[0]
  const bucket = sql`width_bucket(created_at, ${begins}::timestamptz[])`
  const { rows } = await sql<DailySalesRow>`
    with figures as (
      select ${bucket} as day, 1 as orders, case when status in ('SENT', 'COMPLETED') then total else 0 end as revenue,
        0 as new_customers
      from orders where created_at >= ${first}
      union all
      select ${bucket}, 0, 0, 1 from users where created_at >= ${first} and role = 'USER'
    )
    select day, sum(orders)::int as orders, sum(revenue) as revenue, sum(new_customers)::int as new_customers
    from figures group by day order by day`.execute(db)
  return rows
}
