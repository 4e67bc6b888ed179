import { sql } from 'kysely'
import type { Db } from '../../database.ts'

export async function countNewContacts(db: Db): Promise<number> {
  const { count } = await db
    .selectFrom('contact_requests')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('status', '=', 'NEW')
    .executeTakeFirstOrThrow()
  return count
}

/** Reads the figures of the dashboard besides those of orders and contact requests. */
export function readDashboard(db: Db) {
  return db
    .selectFrom('products')
    .where('active', '=', true)
    .select(({ fn, selectFrom }) => [
      selectFrom('mails')
        .select(fn.countAll<number>().as('count'))
        .where('mails.status', '=', 'FAILED')
        .$asScalar()
        .$notNull()
        .as('failed_mails'),
      selectFrom('publications')
        .select('built_at')
        .where('kind', '=', 'feed')
        .orderBy('publications.id', 'desc')
        .limit(1)
        .as('feed_built_at'),
    ])
    .select(({ exists, fn, not, selectFrom }) => {
      const images = selectFrom('product_images').whereRef('product_id', '=', 'products.id')
      return [
        fn.countAll<number>().as('active'),
        fn.countAll<number>().filterWhere(sql<boolean>`coalesce(final_price, 0) <= 0`).as('without_price'),
        fn.countAll<number>().filterWhere('category_id', 'is', null).as('without_category'),
        fn
          .countAll<number>()
          .filterWhere(not(exists(images)))
          .as('without_image'),
      ]
    })
    .executeTakeFirstOrThrow()
}

type CalendarDay = { date: string; begin: Date }

/**
 * Counts orders, revenue (decimal text) and new accounts of each of the days, which are ascending and end with tomorrow, which
 * is left out.
 */
export function readDailySales(db: Db, days: CalendarDay[]) {
  const begins = days.map(({ begin }) => begin)
  const dates = days.slice(0, -1).map(({ date }) => date)
  const since = sql<Date>`${begins[0]}`
  const day = sql<number>`width_bucket(created_at, ${begins}::timestamptz[])`.as('day')
  return db
    .with('figures', (cte) =>
      cte
        .selectFrom('orders')
        .select([day, sql<number>`1`.as('orders'), sql<number>`0`.as('new_customers')])
        .select(sql<string>`case when status in ('SENT', 'COMPLETED') then total else 0 end`.as('revenue'))
        .where('created_at', '>=', since)
        .unionAll(
          cte
            .selectFrom('users')
            .select([day, sql<number>`0`.as('orders'), sql<number>`1`.as('new_customers')])
            .select(sql<string>`0`.as('revenue'))
            .where('created_at', '>=', since)
            .where('role', '=', 'USER'),
        ),
    )
    .selectFrom(
      sql<{ date: string; day: number }>`unnest(${dates}::text[]) with ordinality`.as<'calendar'>(
        sql`calendar (date, day)`,
      ),
    )
    .leftJoin('figures', 'figures.day', 'calendar.day')
    .select(({ fn, lit }) => [
      'calendar.date',
      fn.coalesce(fn.sum<number>('figures.orders'), lit(0)).as('orders'),
      fn.coalesce(fn.sum<string>('figures.revenue'), sql<string>`0`).as('revenue'),
      fn.coalesce(fn.sum<number>('figures.new_customers'), lit(0)).as('new_customers'),
    ])
    .groupBy(['calendar.day', 'calendar.date'])
    .orderBy('calendar.day')
    .execute()
}
