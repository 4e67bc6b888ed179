import { type RawBuilder, sql } from 'kysely'
import { NETWORK_LIFETIME } from '../accounts/rate-limits.ts'
import { KEY_LIFETIME } from '../orders/orders.ts'

/** Delete what has no effect any more, and what has been kept long enough. */
export const DELETIONS: RawBuilder<unknown>[] = [
  sql`delete from mails where status <> 'PENDING' and created_at < now() - interval '30 days'`,
  sql`delete from alerts where ended_at < now() - interval '90 days'`,
  // Those that were delivered or given up, and those that wait for a webhook that is switched off.
  sql`
    delete from webhook_deliveries d
    where finished_at < now() - interval '14 days' or (
      status = 'PENDING' and created_at < now() - interval '14 days'
      and exists (select from webhooks w where w.id = d.webhook_id and not w.active)
    )`,
  sql`delete from order_idempotency_keys where created_at < now() - ${KEY_LIFETIME}`,
  // A counter that is locked is being incremented.
  sql`
    delete from rate_limits where key in (
      select key from rate_limits where resets_at <= now() for update skip locked)`,
  sql`delete from login_networks where last_login_at < now() - ${NETWORK_LIFETIME}`,
  sql`delete from password_resets where expires_at <= now()`,
]
