import { sql } from 'kysely'
import type { Db } from '../../database.ts'
import type { ContactRequestRow } from '../../tables/contact-requests.ts'
import type { OrderRow } from '../../tables/orders.ts'

/** `total`: items and delivery, as decimal text. */
export type OrderDetails = Pick<OrderRow, 'id' | 'number' | 'status' | 'version' | 'user_id'> & {
  total: string
}

/** Finds what live events tell of orders, in no particular order. */
export function findOrderDetails(db: Db, ids: number[]): Promise<OrderDetails[]> {
  return db
    .selectFrom('orders')
    .where('id', '=', sql<number>`any(${ids}::int[])`)
    .select(['id', 'number', 'status', 'version', 'user_id'])
    .select(
      sql<string>`delivery_cost + coalesce((
        select sum(line_total) from order_items where order_id = orders.id), 0)`.as('total'),
    )
    .execute()
}

/** Finds the status of contact requests, in no particular order. */
export function findContactStatuses(
  db: Db,
  ids: number[],
): Promise<Pick<ContactRequestRow, 'id' | 'status'>[]> {
  return db
    .selectFrom('contact_requests')
    .where('id', '=', sql<number>`any(${ids}::int[])`)
    .select(['id', 'status'])
    .execute()
}
