import type { Trx } from '../../database.ts'
import type { SubmitOutcome } from '../../tables/orders.ts'

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
