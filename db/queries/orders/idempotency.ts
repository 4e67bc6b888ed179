import { sql } from 'kysely'
import type { Db, Trx } from '../../database.ts'

/** How long a key is remembered (contract section 5). */
const LIFETIME = sql<Date>`now() - interval '24 hours'`

export type EarlierOrder = { order_id: number | null; request_hash: string }

/**
 * Claims a key for an order that this transaction is about to place. Whoever comes meanwhile with the same key waits
 * for the end of the transaction; if that fails, the key is free again.
 * @returns the order that has the key already; null when the key is the caller's
 */
export async function claimKey(trx: Trx, key: string, requestHash: string): Promise<EarlierOrder | null> {
  await trx
    .deleteFrom('order_idempotency_keys')
    .where('key', '=', key)
    .where('created_at', '<', LIFETIME)
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
  // Deleted in between, with its order: the key is free.
  return earlier ?? claimKey(trx, key, requestHash)
}

export async function completeKey(trx: Trx, key: string, orderId: number): Promise<void> {
  await trx.updateTable('order_idempotency_keys').set({ order_id: orderId }).where('key', '=', key).execute()
}

export async function deleteOldKeys(db: Db): Promise<void> {
  await db.deleteFrom('order_idempotency_keys').where('created_at', '<', LIFETIME).execute()
}
