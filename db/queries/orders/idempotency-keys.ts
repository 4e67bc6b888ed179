import { type Selectable, sql } from 'kysely'
import type { Trx } from '../../database.ts'
import type { OrderTables } from '../../tables/orders.ts'

export const KEY_LIFETIME = sql`interval '24 hours'`

/** `order_id` is null if the order was deleted. */
type EarlierOrder = Pick<Selectable<OrderTables['order_idempotency_keys']>, 'order_id' | 'request_hash'>

/**
 * Claims a key that is new or has expired for the order of this transaction. Concurrent claims of the key wait for the
 * transaction to end.
 * @returns the order that has the key, or null after a successful claim
 */
export async function claimKey(trx: Trx, key: string, requestHash: string): Promise<EarlierOrder | null> {
  const claimed = await trx
    .insertInto('order_idempotency_keys')
    .values({ key, request_hash: requestHash })
    .onConflict((conflict) =>
      conflict
        .column('key')
        .doUpdateSet(({ ref }) => ({
          request_hash: ref('excluded.request_hash'),
          order_id: null,
          created_at: ref('excluded.created_at'),
        }))
        .where('order_idempotency_keys.created_at', '<', sql<Date>`now() - ${KEY_LIFETIME}`),
    )
    .returning('key')
    .executeTakeFirst()
  if (claimed !== undefined) return null
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
