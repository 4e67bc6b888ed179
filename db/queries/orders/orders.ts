import { type Insertable, sql, type Updateable } from 'kysely'
import type { Db, Trx } from '../../database.ts'
import { LOCKS } from '../../locks.ts'
import { columnsOf, prepared } from '../../prepared.ts'
import {
  ORDER_COLUMNS,
  type OrderHistoryRow,
  type OrderHistoryTable,
  type OrderRow,
  type OrdersTable,
  type SubmitAttemptRow,
} from '../../tables/orders.ts'

/** The order, locked until the transaction ends; whoever changes an order or its items locks it first. */
export function lockOrderRow(trx: Trx, id: number): Promise<OrderRow | undefined> {
  return trx.selectFrom('orders').selectAll().where('id', '=', id).forUpdate().executeTakeFirst()
}

/**
 * Keeps a submission of the order from beginning until the transaction ends; changes don't keep each other out, the
 * row's lock makes them queue.
 * @returns false while a submission is under way: it holds the lock of this key alone, on a connection of its own
 */
export async function keepFromSubmission(trx: Trx, id: number): Promise<boolean> {
  const { rows } = await sql<{ locked: boolean }>`
    select pg_try_advisory_xact_lock_shared(${LOCKS.order}::int, ${id}::int) as locked`.execute(trx)
  return rows[0]?.locked === true
}

export function findOrder(db: Db, id: number): Promise<OrderRow | undefined> {
  return db.selectFrom('orders').selectAll().where('id', '=', id).executeTakeFirst()
}

/** What a customer says of an order. */
export type NewOrder = Pick<
  OrderRow,
  | 'customer_name'
  | 'customer_phone'
  | 'customer_email'
  | 'delivery_method'
  | 'delivery_address'
  | 'comment'
  | 'user_id'
>

/** Inserts an order and, in the same statement, the first entry of its history. */
export async function insertOrder(
  trx: Trx,
  values: NewOrder,
  placedBy: Pick<OrderHistoryTable, 'user_id' | 'user_name'>,
): Promise<OrderRow> {
  const [row] = await prepared(
    trx,
    sql<OrderRow>`
      with placed as (
        insert into orders (customer_name, customer_phone, customer_email, delivery_method, delivery_address, comment,
          user_id)
        values (${values.customer_name}, ${values.customer_phone}, ${values.customer_email}, ${values.delivery_method},
          ${values.delivery_address}, ${values.comment}, ${values.user_id})
        returning ${columnsOf(ORDER_COLUMNS)}
      ), first as (
        insert into order_history (order_id, user_id, user_name, from_status, to_status)
        select id, ${placedBy.user_id}::int, ${placedBy.user_name}::text, null, status from placed
      )
      select ${columnsOf(ORDER_COLUMNS)} from placed`,
  )
  if (row === undefined) throw new Error('An inserted order was not returned')
  return row
}

/** A change that staff see, so it makes a new version. Undefined fields stay as they are. */
export function updateOrder(trx: Trx, id: number, values: Updateable<OrdersTable>): Promise<OrderRow> {
  return trx
    .updateTable('orders')
    .set({ ...values, version: sql<number>`version + 1` })
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirstOrThrow()
}

/** Notes that the supplier may have it from now on; what comes of it is the change that staff see. */
export async function markSending(trx: Trx, id: number, at: Date): Promise<void> {
  await trx.updateTable('orders').set({ sent_at: at }).where('id', '=', id).execute()
}

export async function deleteOrder(trx: Trx, id: number): Promise<void> {
  await trx.deleteFrom('orders').where('id', '=', id).execute()
}

/** A user deleted meanwhile is remembered by name alone. */
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

/** What happened to the order's status, the oldest first. */
export function listHistory(db: Db, orderId: number): Promise<OrderHistoryRow[]> {
  return db.selectFrom('order_history').selectAll().where('order_id', '=', orderId).orderBy('id').execute()
}

/** The attempts to submit the order, the oldest first. */
export function listSubmitAttempts(db: Db, orderId: number): Promise<SubmitAttemptRow[]> {
  return db
    .selectFrom('order_submit_attempts')
    .selectAll()
    .where('order_id', '=', orderId)
    .orderBy('id')
    .execute()
}

/**
 * Whether the supplier may hold the order as it was at an attempt of which nobody knows what came; only one that he
 * accepted says what he holds, a refusal says nothing of the attempts before it.
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
