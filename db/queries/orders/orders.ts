import { type Insertable, sql, type Updateable } from 'kysely'
import type { PricedLine } from '../../../src/rules/orders/lines.ts'
import type { Db, Trx } from '../../database.ts'
import { type PageOf, type PageRequest, readIds, readPage, type SortOf, sorted } from '../../paging.ts'
import { onlyRow, prepared } from '../../prepared.ts'
import type { OrderHistoryRow, OrderItemRow, OrderRow, OrderTables, SubmitAttemptRow } from '../../tables/orders.ts'
import { containsAny } from '../expressions.ts'

// All columns of the tables, named for prepared statements.
const ORDER_COLUMNS = [
  'id',
  'number',
  'status',
  'customer_name',
  'customer_phone',
  'customer_email',
  'delivery_method',
  'delivery_address',
  'comment',
  'user_id',
  'external_id',
  'admin_comment',
  'delivery_cost',
  'items_total',
  'total',
  'submit_error',
  'sent_at',
  'tracking_hash',
  'tracking_sealed',
  'version',
  'created_at',
  'updated_at',
  'search_text',
] as const
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

/**
 * Leaves out the orders that are being submitted: an attempt has begun and has not ended. One that began more than a minute ago
 * was interrupted by a crash. Lock the orders first, so that no submission begins.
 */
export async function withoutSubmissions(trx: Trx, ids: number[]): Promise<number[]> {
  const rows = await trx
    .selectFrom(sql<{ id: number }>`unnest(${ids}::int[])`.as<'listed'>(sql`listed (id)`))
    .select('listed.id')
    .where(({ exists, not, selectFrom }) => {
      const attempts = selectFrom('order_submit_attempts')
        .whereRef('order_id', '=', 'listed.id')
        .where('duration_ms', 'is', null)
        .where(sql<boolean>`abs(extract(epoch from now() - started_at)) < 60`)
      return not(exists(attempts))
    })
    .execute()
  return rows.map(({ id }) => id)
}

export type OrderFilter = {
  userId?: number
  statuses?: OrderRow['status'][]
  /** Inclusive. */
  from?: Date
  /** Exclusive. */
  until?: Date
  /** Orders whose `search_text` contains at least one of these; empty means no search. */
  searchTexts?: string[]
  /** Listed first: the order that a search names by its number, before phones with the same digits. */
  searchedId?: number
}

function matchOrders(db: Db, { userId, statuses = [], from, until, searchTexts = [] }: OrderFilter) {
  let query = db.selectFrom('orders')
  if (userId !== undefined) query = query.where('user_id', '=', userId)
  if (statuses.length > 0) query = query.where('status', 'in', statuses)
  if (from !== undefined) query = query.where('created_at', '>=', from)
  if (until !== undefined) query = query.where('created_at', '<', until)
  return searchTexts.length === 0 ? query : query.where(containsAny(sql`search_text`, searchTexts))
}

export type OrderSort = SortOf<'orders'>

/** The index of the status continues with the time. */
const ties = ({ field }: OrderSort) => (field === 'status' ? (['created_at'] as const) : [])

/** Lists a page of the matching orders, first the one that the search names by its number; see ORDER_SORT for indexes. */
export function listOrders(db: Db, filter: OrderFilter, sort: OrderSort, page: PageRequest): Promise<PageOf<OrderRow>> {
  const { searchedId } = filter
  let matching = matchOrders(db, filter).selectAll()
  if (searchedId !== undefined) matching = matching.orderBy((eb) => eb('id', '=', searchedId), 'desc')
  return readPage(sorted(matching, sort, ties(sort)), page)
}

/** Lists the ids of all matching orders. */
export function listOrderIds(db: Db, filter: OrderFilter, sort: OrderSort): Promise<number[]> {
  return readIds(db, sorted(matchOrders(db, filter).select('id'), sort, ties(sort)))
}

/** Locks those of these orders that match until the transaction ends. @returns their ids */
export async function lockOrders(trx: Trx, filter: OrderFilter, ids: number[]): Promise<number[]> {
  const rows = await matchOrders(trx, filter)
    .where('id', '=', sql<number>`any(${ids}::int[])`)
    .select('id')
    .orderBy('id')
    .forUpdate()
    .execute()
  return rows.map(({ id }) => id)
}

/** Finds an order by the hash of its link's token. */
export function findTrackedOrder(db: Db, tokenHash: Buffer): Promise<OrderRow | undefined> {
  return db.selectFrom('orders').selectAll().where('tracking_hash', '=', tokenHash).executeTakeFirst()
}

/** Inserts an order and the first entry of its history in one statement. */
export async function insertOrder(
  trx: Trx,
  values: Insertable<OrderTables['orders']>,
  placedBy: Pick<OrderTables['order_history'], 'user_id' | 'user_name'>,
): Promise<OrderRow> {
  const query = trx
    .with('placed', (db) => db.insertInto('orders').values(values).returning(ORDER_COLUMNS))
    .with('first', (db) =>
      db
        .insertInto('order_history')
        .columns(['order_id', 'user_id', 'user_name', 'from_status', 'to_status'])
        .expression(({ selectFrom }) =>
          selectFrom('placed').select([
            'id',
            sql`${placedBy.user_id}::int`.as('user_id'),
            sql`${placedBy.user_name}::text`.as('user_name'),
            sql`null`.as('from_status'),
            'status',
          ]),
        ),
    )
    .selectFrom('placed')
    .select(ORDER_COLUMNS)
  return onlyRow(await prepared(trx, query))
}

export type OrderValues = Updateable<OrderTables['orders']>

/** Records that the supplier may have received the order by now: stock that is read later accounts for it. */
export async function markSent(trx: Trx, id: number): Promise<void> {
  const now = sql<Date>`clock_timestamp()`
  await trx.updateTable('orders').set({ sent_at: now }).where('id', '=', id).execute()
}

/** Deletes orders with their items, history, and submit attempts. */
export function deleteOrders(trx: Trx, ids: number[]): Promise<OrderRow[]> {
  return trx.deleteFrom('orders').where('id', '=', sql<number>`any(${ids}::int[])`).returningAll().execute()
}

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

/** @returns the new lines in their order */
export function insertItems(
  trx: Trx,
  orderId: number,
  items: PricedLine[],
  reserved: boolean,
): Promise<OrderItemRow[]> {
  const column = <Name extends keyof PricedLine>(name: Name) => items.map((item) => item[name])
  const lines = sql<PricedLine & { position: number }>`unnest(${column('product_id')}::int[],
    ${column('product_external_id')}::text[], ${column('product_name')}::text[], ${column('price_at_order')}::numeric[],
    ${column('quantity')}::int[]) with ordinality`.as<'line'>(
    sql`line (product_id, product_external_id, product_name, price_at_order, quantity, position)`,
  )
  const query = trx
    .insertInto('order_items')
    .columns(['order_id', 'holding', 'product_id', 'product_external_id', 'product_name', 'price_at_order', 'quantity'])
    .expression(({ selectFrom }) =>
      selectFrom(lines)
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

/** If the user was deleted meanwhile, only the name is stored. */
export async function insertHistory(trx: Trx, entry: Insertable<OrderTables['order_history']>): Promise<void> {
  await trx
    .insertInto('order_history')
    .values(({ selectFrom }) => {
      const author = selectFrom('users')
        .select('id')
        .where('id', '=', entry.user_id ?? 0)
      return { ...entry, user_id: author }
    })
    .execute()
}

/** Lists the order's changes, the oldest first. */
export function listHistory(db: Db, orderId: number): Promise<OrderHistoryRow[]> {
  return db.selectFrom('order_history').selectAll().where('order_id', '=', orderId).orderBy('id').execute()
}

/** Lists the attempts to submit the order, the oldest first. */
export function listSubmitAttempts(db: Db, orderId: number): Promise<SubmitAttemptRow[]> {
  return db.selectFrom('order_submit_attempts').selectAll().where('order_id', '=', orderId).orderBy('id').execute()
}

type AttemptEnd = Updateable<OrderTables['order_submit_attempts']>

export async function finishAttempt(trx: Trx, id: number, end: AttemptEnd): Promise<void> {
  await trx.updateTable('order_submit_attempts').set(end).where('id', '=', id).execute()
}
