import { sql } from 'kysely'
import type { PricedLine } from '../../../src/rules/orders/lines.ts'
import type { Db, Trx } from '../../database.ts'
import { prepared } from '../../prepared.ts'
import type { OrderItemRow } from '../../tables/orders.ts'

/** All columns of the table, named for a prepared statement. */
const ITEM_COLUMNS = [
  'id',
  'order_id',
  'product_id',
  'product_external_id',
  'product_name',
  'price_at_order',
  'quantity',
  'line_total',
  'holding',
  'sent_at',
] as const

/** Lists the lines of an order as they were added. */
export async function listItems(db: Db, orderId: number): Promise<OrderItemRow[]> {
  return (await listItemsByOrder(db, [orderId])).get(orderId) ?? []
}

/** Lists the lines of these orders, by order. */
export async function listItemsByOrder(db: Db, orderIds: number[]): Promise<Map<number | null, OrderItemRow[]>> {
  const rows = await db
    .selectFrom('order_items')
    .selectAll()
    .where('order_id', '=', sql<number>`any(${orderIds}::int[])`)
    .orderBy('order_id')
    .orderBy('id')
    .execute()
  return Map.groupBy(rows, ({ order_id }) => order_id)
}

/** Lines as a table, with their position. */
export function linesAsRows(items: PricedLine[]) {
  const column = <Name extends keyof PricedLine>(name: Name) => items.map((item) => item[name])
  return sql<PricedLine & { position: number }>`unnest(${column('product_id')}::int[],
    ${column('product_external_id')}::text[], ${column('product_name')}::text[], ${column('price_at_order')}::numeric[],
    ${column('quantity')}::int[]) with ordinality`.as<'line'>(
    sql`line (product_id, product_external_id, product_name, price_at_order, quantity, position)`,
  )
}

/** @returns the new lines in their order */
export function insertItems(
  trx: Trx,
  orderId: number,
  items: PricedLine[],
  reserved: boolean,
): Promise<OrderItemRow[]> {
  const query = trx
    .insertInto('order_items')
    .columns(['order_id', 'holding', 'product_id', 'product_external_id', 'product_name', 'price_at_order', 'quantity'])
    .expression(({ selectFrom }) =>
      selectFrom(linesAsRows(items))
        .select([sql`${orderId}::int`.as('order_id'), sql`${reserved}::boolean`.as('holding')])
        .select(['product_id', 'product_external_id', 'product_name', 'price_at_order', 'quantity'])
        .orderBy('position'),
    )
    .returning(ITEM_COLUMNS)
  return prepared(trx, query)
}

export function updateQuantity(trx: Trx, id: number, quantity: number): Promise<OrderItemRow> {
  return trx.updateTable('order_items').set({ quantity }).where('id', '=', id).returningAll().executeTakeFirstOrThrow()
}

export async function deleteItem(trx: Trx, id: number): Promise<void> {
  await trx.deleteFrom('order_items').where('id', '=', id).execute()
}
