import { sql } from 'kysely'
import type { PricedLine } from '../../../src/rules/orders/lines.ts'
import type { Db, Trx } from '../../database.ts'
import { type Params, prepare } from '../../prepared.ts'
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

/** What a line is inserted with. */
export const LINE_COLUMNS = ['product_id', 'product_external_id', 'product_name', 'price_at_order', 'quantity'] as const

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

/** Lines by column, as `unnest` takes them. */
export type LineColumns = {
  product_ids: number[]
  external_ids: (string | null)[]
  names: string[]
  prices: string[]
  quantities: number[]
}

export function lineColumns(lines: PricedLine[]): LineColumns {
  return {
    product_ids: lines.map(({ product_id }) => product_id),
    external_ids: lines.map(({ product_external_id }) => product_external_id),
    names: lines.map(({ product_name }) => product_name),
    prices: lines.map(({ price_at_order }) => price_at_order),
    quantities: lines.map(({ quantity }) => quantity),
  }
}

/** Lines as a table, with their position. */
export function linesAsRows({ product_ids, external_ids, names, prices, quantities }: Params<LineColumns>) {
  return sql<PricedLine & { position: number }>`unnest(${product_ids}::int[], ${external_ids}::text[], ${names}::text[],
    ${prices}::numeric[], ${quantities}::int[]) with ordinality`.as<'line'>(
    sql`line (product_id, product_external_id, product_name, price_at_order, quantity, position)`,
  )
}

const insertLines = prepare((db, params: Params<LineColumns & { orderId: number; reserved: boolean }>) =>
  db
    .insertInto('order_items')
    .columns(['order_id', 'holding', ...LINE_COLUMNS])
    .expression(({ selectFrom }) =>
      selectFrom(linesAsRows(params))
        .select([
          sql`${params.orderId}::int`.as('order_id'),
          sql`${params.reserved}::boolean`.as('holding'),
          ...LINE_COLUMNS,
        ])
        .orderBy('position'),
    )
    .returning(ITEM_COLUMNS),
)

/** @returns the new lines in their order */
export function insertItems(
  trx: Trx,
  orderId: number,
  items: PricedLine[],
  reserved: boolean,
): Promise<OrderItemRow[]> {
  return insertLines(trx, { orderId, reserved, ...lineColumns(items) })
}

export function updateQuantity(trx: Trx, id: number, quantity: number): Promise<OrderItemRow> {
  return trx.updateTable('order_items').set({ quantity }).where('id', '=', id).returningAll().executeTakeFirstOrThrow()
}

export async function deleteItem(trx: Trx, id: number): Promise<void> {
  await trx.deleteFrom('order_items').where('id', '=', id).execute()
}
