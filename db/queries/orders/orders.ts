import { type Insertable, sql, type Updateable } from 'kysely'
import { jsonArrayFrom, jsonObjectFrom } from 'kysely/helpers/postgres'
import type { PricedLine } from '../../../src/rules/orders/lines.ts'
import type { Db, Trx } from '../../database.ts'
import { type PageOf, type PageRequest, readIds, readPage, type SortOf, sorted } from '../../paging.ts'
import { onlyRow, type Params, prepare } from '../../prepared.ts'
import type { OrderHistoryRow, OrderItemRow, OrderRow, OrderTables } from '../../tables/orders.ts'
import { containsAny } from '../expressions.ts'
import { LINE_COLUMNS, type LineColumns, lineColumns, linesAsRows } from './items.ts'
import { isRunning } from './submit-attempts.ts'

export type OrderFilter = {
  id?: number
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

function matchOrders(db: Db, { id, userId, statuses = [], from, until, searchTexts = [] }: OrderFilter) {
  let query = db.selectFrom('orders')
  if (id !== undefined) query = query.where('id', '=', id)
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

export function findOrder(db: Db, id: number): Promise<OrderRow | undefined> {
  return db.selectFrom('orders').selectAll().where('id', '=', id).executeTakeFirst()
}

/** Finds these orders, in any order. */
export function findOrders(db: Db, ids: number[]): Promise<OrderRow[]> {
  return db.selectFrom('orders').selectAll().where('id', '=', sql<number>`any(${ids}::int[])`).execute()
}

/** Finds what staff see of these orders beside their rows: the customer's account, and attempts that hold changes off. */
export function findForStaff(db: Db, ids: number[]) {
  return db
    .selectFrom('orders')
    .select('orders.id')
    .select(({ exists, selectFrom }) => {
      const customer = selectFrom('users').select(['id', 'name', 'email']).whereRef('users.id', '=', 'orders.user_id')
      const attempts = selectFrom('order_submit_attempts').whereRef('order_id', '=', 'orders.id')
      return [
        jsonObjectFrom(customer).as('customer'),
        exists(attempts.where('outcome', '!=', 'REFUSED'))
          .$castTo<boolean>()
          .as('is_unclear'),
        exists(attempts.where(isRunning)).$castTo<boolean>().as('is_running'),
      ]
    })
    .where('orders.id', '=', sql<number>`any(${ids}::int[])`)
    .execute()
}

/** Counts the matching orders by their status; one without orders is absent. */
export function countOrders(db: Db, filter: OrderFilter) {
  return matchOrders(db, filter)
    .select(['status', ({ fn }) => fn.countAll<number>().as('count')])
    .groupBy('status')
    .execute()
}

export function lockOrder(trx: Trx, id: number): Promise<OrderRow | undefined> {
  return trx.selectFrom('orders').selectAll().where('id', '=', id).forUpdate().executeTakeFirst()
}

/** Finds an order by the hash of its link's token. */
export function findTrackedOrder(db: Db, tokenHash: Buffer): Promise<OrderRow | undefined> {
  return db.selectFrom('orders').selectAll().where('tracking_hash', '=', tokenHash).executeTakeFirst()
}

/** What the database sets of a new order, named for a prepared statement. */
const GENERATED = ['id', 'number', 'status', 'total', 'version', 'created_at', 'updated_at', 'search_text'] as const
/** What an order gets later. */
const UNSET = { external_id: null, admin_comment: null, submit_error: null, sent_at: null }

type PlacedOrder = Omit<OrderRow, (typeof GENERATED)[number] | keyof typeof UNSET>
type Placer = Pick<OrderHistoryRow, 'user_name' | 'actor_kind'> & { placer_id: number | null }

const insertPlaced = prepare((db, params: Params<PlacedOrder & Placer & LineColumns>) => {
  const { customer_name, customer_phone, customer_email, delivery_method, delivery_address, comment } = params
  const { user_id, items_total, delivery_cost, tracking_hash, tracking_sealed } = params
  const { placer_id, user_name, actor_kind } = params
  const customer = { customer_name, customer_phone, customer_email, delivery_method, delivery_address, comment }
  const values = { ...customer, user_id, items_total, delivery_cost, tracking_hash, tracking_sealed }
  return db
    .with('placed', (db) => db.insertInto('orders').values(values).returning(GENERATED))
    .with('first', (db) =>
      db
        .insertInto('order_history')
        .columns(['order_id', 'user_id', 'user_name', 'actor_kind', 'from_status', 'to_status'])
        .expression(({ selectFrom }) =>
          selectFrom('placed').select([
            'id',
            sql`${placer_id}::int`.as('user_id'),
            sql`${user_name}::text`.as('user_name'),
            sql`${actor_kind}::text`.as('actor_kind'),
            sql`null`.as('from_status'),
            'status',
          ]),
        ),
    )
    .with('lines', (db) =>
      db
        .insertInto('order_items')
        .columns(['order_id', 'holding', ...LINE_COLUMNS])
        .expression(({ selectFrom }) =>
          selectFrom(['placed', linesAsRows(params)])
            .select(['placed.id as order_id', sql`true`.as('holding'), ...LINE_COLUMNS])
            .orderBy('position'),
        )
        .returning(['id', 'line_total']),
    )
    .selectFrom('placed')
    .select(GENERATED)
    .select(({ selectFrom }) => {
      const stored = selectFrom('lines').select(['lines.id', sql<string>`line_total::text`.as('line_total')])
      return jsonArrayFrom(stored.orderBy('lines.id')).as('stored')
    })
})

/** Inserts an order, its lines, whose quantities it reserves, and the first entry of its history, in one statement. */
export async function insertOrder(
  trx: Trx,
  values: PlacedOrder,
  lines: PricedLine[],
  placer: Placer,
): Promise<{ row: OrderRow; items: OrderItemRow[] }> {
  const { stored, ...generated } = onlyRow(await insertPlaced(trx, { ...values, ...placer, ...lineColumns(lines) }))
  const row = { ...values, ...UNSET, ...generated }
  const items = stored.flatMap((added, position) => {
    const line = lines[position]
    return line ? [{ ...line, ...added, order_id: row.id, holding: true, sent_at: null }] : []
  })
  return { row, items }
}

export type OrderValues = Updateable<OrderTables['orders']>

/** Undefined columns keep their values. */
export function updateOrder(trx: Trx, id: number, values: OrderValues): Promise<OrderRow> {
  return trx
    .updateTable('orders')
    .set({ ...values, version: sql`version + 1`, updated_at: sql`now()` })
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirstOrThrow()
}

/** Records that the supplier may have received the order by now: stock that is read later accounts for it. */
export async function markSent(trx: Trx, id: number): Promise<void> {
  const now = sql<Date>`clock_timestamp()`
  await trx.updateTable('orders').set({ sent_at: now }).where('id', '=', id).execute()
}

/** Deletes orders with their items, history, and submit attempts. */
export function deleteOrders(trx: Trx, ids: number[]): Promise<OrderRow[]> {
  return trx.deleteFrom('orders').where('id', '=', sql<number>`any(${ids}::int[])`).returningAll().execute()
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
