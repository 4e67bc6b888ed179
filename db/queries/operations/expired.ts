import { type RawBuilder, sql } from 'kysely'
import type { Db } from '../../database.ts'
import { NETWORK_LIFETIME } from '../accounts/rate-limits.ts'
import { KEY_LIFETIME } from '../orders/orders.ts'

const before = (age: RawBuilder<unknown>) => sql<Date>`now() - ${age}`
const days = (count: number) => before(sql`${sql.lit(count)} * interval '1 day'`)

/** Delete what has no effect any more, and what has been kept long enough. */
export const DELETIONS: ((db: Db) => Promise<unknown>)[] = [
  (db) => db.deleteFrom('mails').where('status', '<>', 'PENDING').where('created_at', '<', days(30)).execute(),
  (db) => db.deleteFrom('alerts').where('ended_at', '<', days(90)).execute(),
  (db) => db.deleteFrom('webhook_deliveries').where('finished_at', '<', days(14)).execute(),
  (db) =>
    db
      .deleteFrom('webhook_deliveries')
      .using('webhooks')
      .whereRef('webhooks.id', '=', 'webhook_deliveries.webhook_id')
      .where('webhooks.active', '=', false)
      .where('webhook_deliveries.status', '=', 'PENDING')
      .where('webhook_deliveries.created_at', '<', days(14))
      .execute(),
  (db) => db.deleteFrom('order_idempotency_keys').where('created_at', '<', before(KEY_LIFETIME)).execute(),
  // A counter that is locked is being incremented.
  (db) =>
    db
      .deleteFrom('rate_limits')
      .where('key', 'in', (eb) =>
        eb.selectFrom('rate_limits').select('key').where('resets_at', '<=', sql<Date>`now()`).forUpdate().skipLocked(),
      )
      .execute(),
  (db) => db.deleteFrom('login_networks').where('last_login_at', '<', before(NETWORK_LIFETIME)).execute(),
  (db) => db.deleteFrom('password_resets').where('expires_at', '<=', sql<Date>`now()`).execute(),
]
