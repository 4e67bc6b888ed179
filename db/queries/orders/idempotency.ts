import { sql } from 'kysely'
import type { Db, Trx } from '../../database.ts'

/** Contract section 5. */
const EXPIRY = sql<Date>`now() - interval '24 hours'`

/** Null: the order was deleted. */
export type EarlierOrder = { order_id: number | null; request_hash: string }

/**
 * Claims a key for the order of this transaction. Concurrent claims of the key wait for the transaction to end.
 * @returns the order that has the key, or null after a successful claim
 */
export async function claimKey(trx: Trx, key: string, requestHash: string): Promise<EarlierOrder | null> {
  await trx
    .deleteFrom('order_idempotency_keys')
    .where('key', '=', key)
    .where('created_at', '<', EXPIRY)
    .execute()
  const claimed = await trx
    .insertInto('order_idempotency_keys')
    .values({ key, request_hash: requestHash })
    .onConflict((conflict) => conflict.column('key').doNothing())
    .returning('key')
    .executeTakeFirst()
  if (claimed) return null
  const earlier = await trx
    .selectFrom('order_idempotency_keys')
    .select(['order_id', 'request_hash'])
    .where('key', '=', key)
    .executeTakeFirst()
  // The key expired in between.
  return earlier ?? claimKey(trx, key, requestHash)
}

export async function completeKey(trx: Trx, key: string, orderId: number): Promise<void> {
  await trx.updateTable('order_idempotency_keys').set({ order_id: orderId }).where('key', '=', key).execute()
}

export async function deleteOldKeys(db: Db): Promise<void> {
  await db.deleteFrom('order_idempotency_keys').where('created_at', '<', EXPIRY).execute()
}
