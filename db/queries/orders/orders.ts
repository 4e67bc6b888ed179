import { type Insertable, sql, type Updateable } from 'kysely'
import type { PricedLine } from '../../../src/rules/orders/lines.ts'
import type { Db, Trx } from '../../database.ts'
import { type PageOf, type PageRequest, readIds, readPage, type SortOf, sorted } from '../../paging.ts'
import { columnsOf, onlyRow, prepared } from '../../prepared.ts'
import type { OrderHistoryRow, OrderItemRow, OrderRow, OrderTables, SubmitAttemptRow } from '../../tables/orders.ts'
import { containsAny } from '../expressions.ts'

// All columns of the tables, named for prepared statements.
const ORDER_COLUMNS = sql`id, number, status, customer_name, customer_phone, customer_email, delivery_method,
  delivery_address, comment, user_id, external_id, admin_comment, delivery_cost, items_total, total, submit_error, sent_at,
  tracking_hash, tracking_sealed, version, created_at, updated_at, search_text`
const ITEM_COLUMNS = sql`id, order_id, product_id, product_external_id, product_name, price_at_order, quantity, line_total,
  holding, sent_at`

/**
 * Leaves out the orders that are being submitted: an attempt has begun and has not ended. One that began more than a minute ago
 * was interrupted by a crash. Lock the orders first, so that no submission begins.
 */
export async function withoutSubmissions(trx: Trx, ids: number[]): Promise<number[]> {
  const { rows } = await sql<{ id: number }>`
    select id from unnest(${ids}::int[]) listed (id) where not exists (
      select from order_submit_attempts
      where order_id = listed.id and duration_ms is null
        and abs(extract(epoch from now() - started_at)) < 60)`.execute(trx)
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
  const query = sql<OrderRow>`
    with placed as (
      insert into orders (${columnsOf(Object.keys(values))}) values (${sql.join(Object.values(values))})
      returning ${ORDER_COLUMNS}
    ), first as (
      insert into order_history (order_id, user_id, user_name, from_status, to_status)
      select id, ${placedBy.user_id}::int, ${placedBy.user_name}::text, null, status from placed
    )
    select ${ORDER_COLUMNS} from placed`
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
export function insertItems(trx: Trx, orderId: number, items: PricedLine[], holding: boolean): Promise<OrderItemRow[]> {
  const column = <Name extends keyof PricedLine>(name: Name) => items.map((item) => item[name])
  const query = sql<OrderItemRow>`
    insert into order_items
      (order_id, product_id, product_external_id, product_name, price_at_order, quantity, holding)
    select ${orderId}::int, product_id, external_id, name, price, quantity, ${holding}::boolean
    from unnest(${column('product_id')}::int[], ${column('product_external_id')}::text[],
      ${column('product_name')}::text[], ${column('price_at_order')}::numeric[], ${column('quantity')}::int[]
    ) with ordinality as i(product_id, external_id, name, price, quantity, position)
    order by position
    returning ${ITEM_COLUMNS}`
  return prepared(trx, query)
}

export function updateQuantity(trx: Trx, id: number, quantity: number): Promise<OrderItemRow> {
  return trx.updateTable('order_items').set({ quantity }).where('id', '=', id).returningAll().executeTakeFirstOrThrow()
}

/** If the user was deleted meanwhile, only the name is stored. */
export async function insertHistory(trx: Trx, entry: Insertable<OrderTables['order_history']>): Promise<void> {
  const author = sql<number | null>`(select id from users where id = ${entry.user_id ?? null}::int)`
  await trx
    .insertInto('order_history')
    .values({ ...entry, user_id: author })
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

/** Contract section 5. */
export const KEY_LIFETIME = sql`interval '24 hours'`

/** Null: the order was deleted. */
export type EarlierOrder = { order_id: number | null; request_hash: string }

/**
 * Claims a key that is new or has expired for the order of this transaction. Concurrent claims of the key wait for the
 * transaction to end.
 * @returns the order that has the key, or null after a successful claim
 */
export async function claimKey(trx: Trx, key: string, requestHash: string): Promise<EarlierOrder | null> {
  const { rows } = await sql`
    insert into order_idempotency_keys as known (key, request_hash) values (${key}, ${requestHash})
    on conflict (key) do update
    set request_hash = excluded.request_hash, order_id = null, created_at = excluded.created_at
    where known.created_at < now() - ${KEY_LIFETIME}
    returning key`.execute(trx)
  if (rows.length > 0) return null
  // The conflict locked the row.
  return trx
    .selectFrom('order_idempotency_keys')
    .select(['order_id', 'request_hash'])
    .where('key', '=', key)
    .executeTakeFirstOrThrow()
}

export async function completeKey(trx: Trx, key: string, orderId: number): Promise<void> {
  await trx.updateTable('order_idempotency_keys').set({ order_id: orderId }).where('key', '=', key).execute()
}
