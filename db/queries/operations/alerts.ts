import { sql } from 'kysely'
import type { AlertName } from '../../../src/rules/operations/alerts.ts'
import type { Db, Trx } from '../../database.ts'
import { onlyRow } from '../../prepared.ts'
import type { AlertRow } from '../../tables/operations.ts'
import type { XmlPipelineRunRow } from '../../tables/pipeline.ts'

/** Inserts an alert, or updates the details of the open one. @returns the new one */
export async function openAlert(trx: Trx, name: AlertName, details: string, now: Date): Promise<AlertRow | undefined> {
  const { rows } = await sql<AlertRow>`
    insert into alerts (name, details, began_at) values (${name}, ${details}, ${now})
    on conflict do nothing returning *`.execute(trx)
  if (rows.length === 0) {
    await sql`
      update alerts set details = ${details}, absent_since = null
      where name = ${name} and ended_at is null`.execute(trx)
  }
  return rows[0]
}

/**
 * Records that the condition of an open alert is absent, and ends the alert when it has been for five minutes, or for an hour
 * if it began within a day of the end of another one: a condition that comes and goes sends at most two mails an hour.
 * @returns the ended alert
 */
export async function closeAlert(trx: Trx, name: AlertName, now: Date): Promise<AlertRow | undefined> {
  const { rows } = await sql<AlertRow>`
    update alerts a set
      absent_since = coalesce(absent_since, ${now}::timestamptz),
      ended_at = case when absent_since <= ${now}::timestamptz - case
        when exists (
          select from alerts earlier where earlier.name = a.name and earlier.ended_at > a.began_at - interval '1 day'
        ) then interval '1 hour' else interval '5 minutes' end
      then absent_since end
    where name = ${name} and ended_at is null
    returning *`.execute(trx)
  return rows.find(({ ended_at }) => ended_at !== null)
}

/** Lists the open alerts, then those that ended last. */
export function listAlerts(db: Db, limit: number): Promise<AlertRow[]> {
  const alerts = db.selectFrom('alerts').selectAll()
  return alerts.orderBy(sql`ended_at desc nulls first`).orderBy('id', 'desc').limit(limit).execute()
}

type SyncProgress = {
  /** End of the last successful run, or the last time the schedule was switched on or off, whichever is later. */
  since: Date | null
  succeeded_at: Date | null
  last_error: string | null
}

/** A shop that never had a successful run counts from its creation, which is when the setting was made. */
export async function readSyncProgress(db: Db): Promise<SyncProgress> {
  const { rows } = await sql<SyncProgress>`
    select succeeded_at, greatest(succeeded_at, switched_at) as since,
      (select error from sync_runs where status = 'FAILED' order by id desc limit 1) as last_error
    from (select max(finished_at) as succeeded_at from sync_runs where status = 'SUCCEEDED') runs,
      (select max(updated_at) as switched_at from app_config where key = 'job_sync_enabled') flag`.execute(db)
  return onlyRow(rows)
}

/** The warnings of the last successful run. */
export async function readLastSyncWarnings(db: Db): Promise<string[]> {
  const runs = db.selectFrom('sync_runs').select('warnings').where('status', '=', 'SUCCEEDED')
  return (await runs.orderBy('id', 'desc').limit(1).executeTakeFirst())?.warnings ?? []
}

type PipelineOutcome = Pick<XmlPipelineRunRow, 'id' | 'status' | 'error'>

/** The run in progress, else the one that ended last; dry runs don't count. */
export async function findLastPipelineRun(db: Db): Promise<PipelineOutcome | undefined> {
  const { rows } = await sql<PipelineOutcome>`
    select id, status, error from xml_pipeline_runs where not dry_run
    order by finished_at desc nulls first, id desc limit 1`.execute(db)
  return rows[0]
}

type FailingMails = { count: number; since: Date | null; last_error: string | null }

/**
 * Counts failed mails that are older than an hour, if none has been sent since. A refused recipient isn't a fault unless it
 * is one of `staff`.
 */
export async function countFailingMails(db: Db, now: Date, staff: string[]): Promise<FailingMails> {
  const { rows } = await sql<FailingMails>`
    select count(*) as count, min(created_at) as since, (array_agg(last_error order by id desc))[1] as last_error
    from mails
    where created_at <= ${now}::timestamptz - interval '1 hour'
      and (
        (status = 'PENDING' and last_error is not null)
        or (status = 'FAILED' and (attempts > 1 or recipient = any(${staff}::text[])))
      )
      and created_at >= coalesce(
        (select max(sent_at) from mails where status = 'SENT'), '-infinity')`.execute(db)
  return onlyRow(rows)
}

export type FailedWebhook = { id: number; since: Date; last_error: string | null }

const LAST_ERROR = sql`(
  select last_error from webhook_deliveries d where d.webhook_id = w.id and last_error is not null
  order by d.id desc limit 1
) as last_error`

/** Finds the webhook that has been failing longest, for an hour or more, while something waits for it. */
export async function findFailingWebhook(db: Db, now: Date): Promise<FailedWebhook | undefined> {
  const { rows } = await sql<FailedWebhook>`
    select w.id, w.failing_since as since, ${LAST_ERROR} from webhooks w
    where w.active and w.failing_since <= ${now}::timestamptz - interval '1 hour'
      and exists (select from webhook_deliveries d where d.webhook_id = w.id and d.status = 'PENDING')
    order by w.failing_since, w.id limit 1`.execute(db)
  return rows[0]
}

/** Finds the webhook whose failures switched it off last. */
export async function findSwitchedOffWebhook(db: Db): Promise<FailedWebhook | undefined> {
  const { rows } = await sql<FailedWebhook>`
    select w.id, w.switched_off_at as since, ${LAST_ERROR} from webhooks w
    where not w.active and w.switched_off_at is not null
    order by w.switched_off_at desc, w.id limit 1`.execute(db)
  return rows[0]
}
