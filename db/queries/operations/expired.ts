import { sql } from 'kysely'
import type { Db } from '../../database.ts'
import { NETWORK_LIFETIME } from '../accounts/rate-limits.ts'
import { KEY_LIFETIME } from '../orders/orders.ts'
import { MAX_KEPT_RUNS } from './job-runs.ts'

const DELETIONS = [
  sql`delete from mails where status <> 'PENDING' and created_at < now() - interval '30 days'`,
  // The last success of each job stays: the metrics show how long ago it was.
  sql`delete from job_runs using (
      select id, row_number() over (partition by job order by id desc) > ${sql.lit(MAX_KEPT_RUNS)} and (
        status <> 'SUCCEEDED' or row_number() over (partition by job, status order by id desc) > 1) as is_old
      from job_runs
    ) run where run.id = job_runs.id and is_old`,
  sql`delete from sync_runs where started_at < now() - interval '30 days' and status <> 'RUNNING'`,
  sql`delete from xml_pipeline_runs run where started_at < now() - interval '90 days' and status <> 'RUNNING'
    and not exists (select from xml_snapshots where run_id = run.id)`,
  sql`delete from alerts where ended_at < now() - interval '90 days'`,
  sql`delete from webhook_deliveries where finished_at < now() - interval '14 days'`,
  sql`delete from webhook_deliveries delivery using webhooks
    where webhooks.id = delivery.webhook_id and not webhooks.active
      and delivery.status = 'PENDING' and delivery.created_at < now() - interval '14 days'`,
  sql`delete from order_idempotency_keys where created_at < now() - ${KEY_LIFETIME}`,
  // A counter that is locked is being incremented.
  sql`delete from rate_limits where key in (
    select key from rate_limits where resets_at <= now() for update skip locked)`,
  sql`delete from login_networks where last_login_at < now() - ${NETWORK_LIFETIME}`,
  sql`delete from password_resets where expires_at <= now()`,
  // Due times that were set while the clock was ahead: no retry takes longer.
  ...['mails', 'webhook_deliveries', 'gbstore_scrape_queue'].map(
    (table) => sql`update ${sql.table(table)} set next_attempt_at = now()
      where status = 'PENDING' and next_attempt_at > now() + interval '25 hours'`,
  ),
]

/** Deletes what has no effect any more, and what has been kept long enough. @throws the first failure, after all deletions */
export async function deleteExpired(db: Db): Promise<void> {
  const failures: unknown[] = []
  for (const deletion of DELETIONS) await deletion.execute(db).catch((error: unknown) => failures.push(error))
  if (failures.length > 0) throw failures[0]
}
