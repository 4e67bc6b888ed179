import { sql } from 'kysely'
import type { Db, Trx } from '../../database.ts'
import { columnsOf, prepared } from '../../prepared.ts'
import { ITEM_COLUMNS, type OrderItemRow } from '../../tables/orders.ts'

/** Lists the lines of these orders, sorted by order and then as they were added. */
export function listItems(db: Db, orderIds: number[]): Promise<OrderItemRow[]> {
  return db
    .selectFrom('order_items')
    .selectAll()
    .where('order_id', '=', sql<number>`any(${orderIds}::int[])`)
    .orderBy('order_id')
    .orderBy('id')
    .execute()
}

export type NewItem = Pick<
  OrderItemRow,
  'product_id' | 'product_external_id' | 'product_name' | 'price_at_order' | 'quantity' | 'holding'
>

export function insertItems(trx: Trx, orderId: number, items: NewItem[]): Promise<OrderItemRow[]> {
  const column = <Name extends keyof NewItem>(name: Name) => items.map((item) => item[name])
  const query = sql<OrderItemRow>`
    insert into order_items
      (order_id, product_id, product_external_id, product_name, price_at_order, quantity, holding)
    select ${orderId}::int, product_id, external_id, name, price, quantity, holding
    from unnest(${column('product_id')}::int[], ${column('product_external_id')}::text[],
      ${column('product_name')}::text[], ${column('price_at_order')}::numeric[],
      ${column('quantity')}::int[], ${column('holding')}::boolean[]
    ) with ordinality as i(product_id, external_id, name, price, quantity, holding, position)
    order by position
    returning ${columnsOf(ITEM_COLUMNS)}`
  return prepared(trx, query)
}

export function updateQuantity(trx: Trx, id: number, quantity: number): Promise<OrderItemRow> {
  return trx
    .updateTable('order_items')
    .set({ quantity })
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirstOrThrow()
}

export async function deleteItem(trx: Trx, id: number): Promise<void> {
  await trx.deleteFrom('order_items').where('id', '=', id).execute()
}
