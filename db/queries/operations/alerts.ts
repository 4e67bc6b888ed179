import { sql } from 'kysely'
import type { AlertName } from '../../../src/rules/operations/alerts.ts'
import { HOW_TO_ACCEPT } from '../../../src/rules/supplier/readings.ts'
import type { Db, Trx } from '../../database.ts'
import type { AlertRow } from '../../tables/operations.ts'

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
      absent_since = least(absent_since, ${now}::timestamptz),
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

export type Condition = { name: AlertName; details: string }

/**
 * Finds the conditions that hold, each with its facts (contract section 11, "Alerts"); docs/alerts.md describes them.
 * @param staff the shop's own addresses; a customer's that the mail server refuses is no fault
 */
export async function findConditions(
  db: Db,
  { now, syncMinutes, staff }: { now: Date; syncMinutes: number; staff: string[] },
): Promise<Condition[]> {
  const hourAgo = sql`${now}::timestamptz - interval '1 hour'`
  const { rows } = await sql<Condition>`
    -- From the last success, or from switching on the schedule, which for a new shop is its creation.
    select 'SyncStale' as name, format('Last success: %s. Last error: %s',
      coalesce(${isoTime('succeeded_at')}, 'never'),
      coalesce((select error from sync_runs where status = 'FAILED' order by id desc limit 1), 'none')) as details
    from app_config flag,
      (select max(finished_at) as succeeded_at from sync_runs where status = 'SUCCEEDED' and finished_at <= ${now}) runs
    where flag.key = 'job_sync_enabled' and flag.value <> 'false'
      and greatest(succeeded_at, flag.updated_at) <= ${now}::timestamptz - ${syncMinutes} * interval '1 minute'
    union all
    select 'SyncWaiting', warning
    from (select warnings from sync_runs where status = 'SUCCEEDED' order by id desc limit 1) run, unnest(warnings) warning
    where warning like ${`%${HOW_TO_ACCEPT}`}
    union all
    select 'FeedRefused', string_agg(kind || ': ' || refusal, '; ' order by kind)
    from publication_checks where refusal is not null having count(*) > 0
    union all
    -- A retry keeps the run's id, and until it ends, the alert.
    select 'PipelineFailed', format('Run %s: %s', id, coalesce(error, 'it is being retried'))
    from (
      select id, status, error from xml_pipeline_runs where (status <> 'RUNNING' or attempts > 1) and not dry_run
      order by id desc limit 1
    ) run
    where status <> 'SUCCEEDED'
    union all
    select 'MailsFailing', format('Mails: %s, the oldest of %s. Last error: %s',
      count(*), ${isoTime('min(created_at)')}, (array_agg(last_error order by id desc))[1])
    from mails
    where created_at <= ${hourAgo}
      and (
        (status = 'PENDING' and last_error is not null)
        or (status = 'FAILED' and (attempts > 1 or recipient = any(${staff}::text[])))
      )
      and created_at >= coalesce((select max(sent_at) from mails where status = 'SENT' and sent_at <= ${now}), '-infinity')
    having count(*) > 0
    union all
    (select 'WebhooksFailing', ${webhookDetails('failing_since')} from webhooks
    where active and failing_since <= ${hourAgo}
      and exists (select from webhook_deliveries d where d.webhook_id = webhooks.id and d.status = 'PENDING')
    order by failing_since, id limit 1)
    union all
    (select 'WebhookSwitchedOff', ${webhookDetails('switched_off_at')} from webhooks
    where not active and switched_off_at is not null
    order by switched_off_at desc, id limit 1)`.execute(db)
  return rows
}

const isoTime = (time: string) => sql.raw(`to_char(${time} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"')`)

/** Without the URL, which may hold a secret. */
const webhookDetails = (since: string) => sql`
  format('Webhook %s, since %s. Last error: %s', id, ${isoTime(since)}, coalesce((
    select last_error from webhook_deliveries d where d.webhook_id = webhooks.id and last_error is not null
    order by d.id desc limit 1
  ), 'none'))`
