import { type Insertable, sql } from 'kysely'
import type { Db, Trx } from '../../database.ts'
import type { OrderItemRow, OrderItemsTable } from '../../tables/orders.ts'

/** The lines of these orders in one query, each order's in the order in which they were added. */
export function listItems(db: Db, orderIds: number[]): Promise<OrderItemRow[]> {
  return db
    .selectFrom('order_items')
    .selectAll()
    .where('order_id', '=', sql<number>`any(${orderIds}::int[])`)
    .orderBy('order_id')
    .orderBy('id')
    .execute()
}

export function insertItems(trx: Trx, items: Insertable<OrderItemsTable>[]): Promise<OrderItemRow[]> {
  return trx.insertInto('order_items').values(items).returningAll().execute()
}

/** Deletes a line unless it was taken out of the order before. */
export async function deleteItem(trx: Trx, orderId: number, id: number): Promise<void> {
  await trx.deleteFrom('order_items').where('id', '=', id).where('order_id', '=', orderId).execute()
}
