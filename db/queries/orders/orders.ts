import { type Insertable, sql, type Updateable } from 'kysely'
import type { Db, Trx } from '../../database.ts'
import { LOCKS } from '../../locks.ts'
import { columnsOf, onlyRow, prepared } from '../../prepared.ts'
import {
  ORDER_COLUMNS,
  type OrderHistoryRow,
  type OrderHistoryTable,
  type OrderRow,
  type OrderStatus,
  type OrdersTable,
  type SubmitAttemptRow,
  type SubmitOutcome,
} from '../../tables/orders.ts'

/**
 * Prevents submissions of these orders from starting before the transaction ends. Shared, as the rows' locks serialise
 * changes.
 * @returns the orders that are not being submitted
 */
export async function preventSubmissions(trx: Trx, ids: number[]): Promise<number[]> {
  const { rows } = await sql<{ id: number }>`
    select id from unnest(${ids}::int[]) id
    where pg_try_advisory_xact_lock_shared(${LOCKS.order}::int, id)`.execute(trx)
  return rows.map(({ id }) => id)
}

/** Finds an order by the hash of its link's token. */
export function findTrackedOrder(db: Db, tokenHash: Buffer): Promise<OrderRow | undefined> {
  return db.selectFrom('orders').selectAll().where('tracking_hash', '=', tokenHash).executeTakeFirst()
}

export type NewOrderRow = Pick<
  OrderRow,
  | 'customer_name'
  | 'customer_phone'
  | 'customer_email'
  | 'delivery_method'
  | 'delivery_address'
  | 'comment'
  | 'user_id'
  | 'items_total'
  | 'tracking_hash'
  | 'tracking_sealed'
>

/** Inserts an order and the first entry of its history in one statement. */
export async function insertOrder(
  trx: Trx,
  values: NewOrderRow,
  placedBy: Pick<OrderHistoryTable, 'user_id' | 'user_name'>,
): Promise<OrderRow> {
  const query = sql<OrderRow>`
    with placed as (
      insert into orders (customer_name, customer_phone, customer_email, delivery_method, delivery_address, comment,
        user_id, items_total, tracking_hash, tracking_sealed)
      values (${values.customer_name}, ${values.customer_phone}, ${values.customer_email}, ${values.delivery_method},
        ${values.delivery_address}, ${values.comment}, ${values.user_id},
        ${values.items_total}, ${values.tracking_hash}, ${values.tracking_sealed})
      returning ${columnsOf(ORDER_COLUMNS)}
    ), first as (
      insert into order_history (order_id, user_id, user_name, from_status, to_status)
      select id, ${placedBy.user_id}::int, ${placedBy.user_name}::text, null, status from placed
    )
    select ${columnsOf(ORDER_COLUMNS)} from placed`
  return onlyRow(await prepared(trx, query))
}

/** Updates an order and increments its version. Undefined fields are left unchanged. */
export function updateOrder(trx: Trx, id: number, values: Updateable<OrdersTable>): Promise<OrderRow> {
  return trx
    .updateTable('orders')
    .set({ ...values, version: sql<number>`version + 1` })
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirstOrThrow()
}

/** Records that the supplier may have received the order; not a new version, as the outcome follows. */
export async function markSent(trx: Trx, id: number, at: Date): Promise<void> {
  await trx.updateTable('orders').set({ sent_at: at }).where('id', '=', id).execute()
}

/** Deletes orders with their items, history, and submit attempts. @returns the deleted orders, sorted by id */
export async function deleteOrders(trx: Trx, ids: number[]): Promise<OrderRow[]> {
  const rows = await trx
    .deleteFrom('orders')
    .where('id', '=', sql<number>`any(${ids}::int[])`)
    .returningAll()
    .execute()
  return rows.sort((a, b) => a.id - b.id)
}

/** If the user was deleted meanwhile, only the name is stored. */
export async function insertHistory(trx: Trx, entry: Insertable<OrderHistoryTable>): Promise<void> {
  await trx
    .insertInto('order_history')
    .values((eb) => ({
      ...entry,
      user_id: eb
        .selectFrom('users')
        .select('id')
        .where('id', '=', entry.user_id ?? null),
    }))
    .execute()
}

/** Lists the order's changes of state, the oldest first. */
export function listHistory(db: Db, orderId: number): Promise<OrderHistoryRow[]> {
  return db.selectFrom('order_history').selectAll().where('order_id', '=', orderId).orderBy('id').execute()
}

/** Finds the last of these states in the order's history. */
export async function findLastStatus(
  trx: Trx,
  orderId: number,
  statuses: readonly OrderStatus[],
): Promise<OrderStatus | undefined> {
  const row = await trx
    .selectFrom('order_history')
    .select('to_status')
    .where('order_id', '=', orderId)
    .where('to_status', 'in', statuses)
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst()
  return row?.to_status
}

/** Lists the attempts to submit the order, the oldest first. */
export function listSubmitAttempts(db: Db, orderId: number): Promise<SubmitAttemptRow[]> {
  return db
    .selectFrom('order_submit_attempts')
    .selectAll()
    .where('order_id', '=', orderId)
    .orderBy('id')
    .execute()
}

/**
 * Whether an attempt with an unknown outcome is not yet followed by an accepted one; a refusal doesn't settle what
 * happened to earlier attempts.
 */
export async function isSubmitUnclear(trx: Trx, orderId: number): Promise<boolean> {
  const last = await trx
    .selectFrom('order_submit_attempts')
    .select('outcome')
    .where('order_id', '=', orderId)
    .where((eb) => eb('outcome', 'is distinct from', 'REFUSED'))
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst()
  return last !== undefined && last.outcome !== 'ACCEPTED'
}

/** Marks attempts without an outcome as UNCLEAR; the caller has the submission lock, so they aren't running. */
export async function closeInterruptedAttempts(trx: Trx, orderId: number): Promise<void> {
  await trx
    .updateTable('order_submit_attempts')
    .set({ outcome: 'UNCLEAR', error: 'Interrupted: the process ended during the attempt' })
    .where('order_id', '=', orderId)
    .where('outcome', 'is', null)
    .execute()
}

/** Returns the id of the order's last attempt. */
export async function findNewestAttempt(trx: Trx, orderId: number): Promise<number | undefined> {
  const row = await trx
    .selectFrom('order_submit_attempts')
    .select('id')
    .where('order_id', '=', orderId)
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst()
  return row?.id
}

/** @param request body as sent */
export async function insertAttempt(
  trx: Trx,
  orderId: number,
  request: object,
  startedAt: Date,
): Promise<number> {
  const { id } = await trx
    .insertInto('order_submit_attempts')
    .values({ order_id: orderId, started_at: startedAt, request: JSON.stringify(request) })
    .returning('id')
    .executeTakeFirstOrThrow()
  return id
}

type AttemptEnd = {
  outcome: SubmitOutcome
  durationMs: number
  response: object | null
  error: string | null
}

export async function finishAttempt(
  trx: Trx,
  id: number,
  { outcome, durationMs, response, error }: AttemptEnd,
): Promise<void> {
  await trx
    .updateTable('order_submit_attempts')
    .set({ outcome, duration_ms: durationMs, response: response && JSON.stringify(response), error })
    .where('id', '=', id)
    .execute()
}
