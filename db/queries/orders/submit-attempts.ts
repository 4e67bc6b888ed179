import { type Insertable, sql, type Updateable } from 'kysely'
import type { Db, Trx } from '../../database.ts'
import type { OrderTables, SubmitAttemptRow } from '../../tables/orders.ts'

/** Of an attempt that has begun and has not ended. One that began more than a minute ago was interrupted by a crash. */
export const isRunning = sql<boolean>`duration_ms is null and abs(extract(epoch from now() - started_at)) < 60`

/**
 * Leaves out the orders that are being submitted. Lock the orders first, so that no submission begins.
 */
export async function withoutSubmissions(trx: Trx, ids: number[]): Promise<number[]> {
  const rows = await trx
    .selectFrom(sql<{ id: number }>`unnest(${ids}::int[])`.as<'listed'>(sql`listed (id)`))
    .select('listed.id')
    .where(({ exists, not, selectFrom }) => {
      const attempts = selectFrom('order_submit_attempts').whereRef('order_id', '=', 'listed.id').where(isRunning)
      return not(exists(attempts))
    })
    .execute()
  return rows.map(({ id }) => id)
}

/** Lists the attempts to submit the order, the oldest first. */
export function listSubmitAttempts(db: Db, orderId: number): Promise<SubmitAttemptRow[]> {
  return db.selectFrom('order_submit_attempts').selectAll().where('order_id', '=', orderId).orderBy('id').execute()
}

/** @returns its id */
export async function insertAttempt(
  trx: Trx,
  attempt: Insertable<OrderTables['order_submit_attempts']>,
): Promise<number> {
  const row = await trx.insertInto('order_submit_attempts').values(attempt).returning('id').executeTakeFirstOrThrow()
  return row.id
}

type AttemptEnd = Updateable<OrderTables['order_submit_attempts']>

export async function finishAttempt(trx: Trx, id: number, end: AttemptEnd): Promise<void> {
  await trx.updateTable('order_submit_attempts').set(end).where('id', '=', id).execute()
}
