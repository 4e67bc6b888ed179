import { sql } from 'kysely'
import type { Db, Trx } from '../../database.ts'

/** Contract section 5. */
const EXPIRY = sql<Date>`now() - interval '24 hours'`

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
    where known.created_at < ${EXPIRY}
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

export async function deleteOldKeys(db: Db): Promise<void> {
  await db.deleteFrom('order_idempotency_keys').where('created_at', '<', EXPIRY).execute()
}
