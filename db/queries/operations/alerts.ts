import { type Expression, sql } from 'kysely'
import type { AlertName } from '../../../src/rules/operations/alerts.ts'
import type { Db, Trx } from '../../database.ts'
import type { AlertRow } from '../../tables/operations.ts'

/** Inserts an alert, or updates the details of the open one. @returns the new one */
export async function openAlert(trx: Trx, name: AlertName, details: string, now: Date): Promise<AlertRow | undefined> {
  const opened = await trx
    .insertInto('alerts')
    .values({ name, details, began_at: now })
    .onConflict((conflict) => conflict.doNothing())
    .returningAll()
    .executeTakeFirst()
  if (opened === undefined) {
    const update = trx.updateTable('alerts').set({ details, absent_since: null })
    await update.where('name', '=', name).where('ended_at', 'is', null).execute()
  }
  return opened
}

/**
 * Records that the condition of an open alert is absent, and ends the alert when it has been for five minutes, or for an hour
 * if it began within a day of the end of another one: a condition that comes and goes sends at most two mails an hour.
 * @returns the ended alert
 */
export async function closeAlert(trx: Trx, name: AlertName, now: Date): Promise<AlertRow | undefined> {
  const rows = await trx
    .updateTable('alerts')
    .set(({ exists, selectFrom }) => {
      const isRepeated = exists(
        selectFrom('alerts as earlier')
          .whereRef('earlier.name', '=', 'alerts.name')
          .where('earlier.ended_at', '>', sql<Date>`alerts.began_at - interval '1 day'`),
      )
      const pause = sql`case when ${isRepeated} then interval '1 hour' else interval '5 minutes' end`
      return {
        absent_since: sql`least(absent_since, ${now}::timestamptz)`,
        ended_at: sql`case when absent_since <= ${now}::timestamptz - ${pause} then absent_since end`,
      }
    })
    .where('name', '=', name)
    .where('ended_at', 'is', null)
    .returningAll()
    .execute()
  return rows.find(({ ended_at }) => ended_at !== null)
}

/** Lists the names of the open alerts. */
export async function listOpenAlerts(db: Db): Promise<AlertName[]> {
  const rows = await db.selectFrom('alerts').select('name').where('ended_at', 'is', null).execute()
  return rows.map(({ name }) => name)
}

/** Lists the open alerts, then those that ended last. */
export function listAlerts(db: Db, limit: number): Promise<AlertRow[]> {
  const alerts = db.selectFrom('alerts').selectAll()
  return alerts.orderBy(sql`ended_at desc nulls first`).orderBy('id', 'desc').limit(limit).execute()
}

export type Condition = { name: AlertName; details: string }

/**
 * Finds the conditions that hold, each with its facts (docs/alerts.md).
 * @param staff the shop's own addresses; a customer's that the mail server refuses is no fault
 */
export function findConditions(
  db: Db,
  { now, syncMinutes, staff }: { now: Date; syncMinutes: number; staff: string[] },
): Promise<Condition[]> {
  return staleSync(db, now, syncMinutes)
    .unionAll(waitingSync(db))
    .unionAll(refusedFeed(db))
    .unionAll(failedPipeline(db))
    .unionAll(failingMails(db, now, staff))
    .unionAll(({ parens }) => parens(failingWebhook(db, now)))
    .unionAll(({ parens }) => parens(switchedOffWebhook(db)))
    .execute()
}

const named = (name: AlertName) => sql.lit(name).as('name')
const isoTime = (time: Expression<unknown>) =>
  sql<string>`to_char(${time} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"')`
const hourBefore = (now: Date) => sql<Date>`${now}::timestamptz - interval '1 hour'`

/** From the last success, or from switching on the schedule, which for a new shop is its creation. */
function staleSync(db: Db, now: Date, syncMinutes: number) {
  const lastSuccess = db
    .selectFrom('sync_runs')
    .select(({ fn }) => fn.max('finished_at').as('succeeded_at'))
    .where('status', '=', 'SUCCEEDED')
    .where('finished_at', '<=', now)
  const lastError = db
    .selectFrom('sync_runs')
    .select('error')
    .where('status', '=', 'FAILED')
    .orderBy('id', 'desc')
    .limit(1)
  const details = sql<string>`format('Last success: %s. Last error: %s',
    coalesce(${isoTime(sql`succeeded_at`)}, 'never'), coalesce((${lastError}), 'none'))`
  return db
    .selectFrom(['app_config', lastSuccess.as('run')])
    .select([named('SyncStale'), details.as('details')])
    .where('key', '=', 'job_sync_enabled')
    .where('value', '<>', 'false')
    .where(
      sql<Date>`greatest(succeeded_at, updated_at)`,
      '<=',
      sql<Date>`${now}::timestamptz - ${syncMinutes} * interval '1 minute'`,
    )
}

function waitingSync(db: Db) {
  const lastSuccess = db
    .selectFrom('sync_runs')
    .select(['warnings', 'waits_for_acceptance'])
    .where('status', '=', 'SUCCEEDED')
    .orderBy('id', 'desc')
    .limit(1)
  return db
    .selectFrom(lastSuccess.as('run'))
    .select([named('SyncWaiting'), sql<string>`array_to_string(warnings, ' ')`.as('details')])
    .where('waits_for_acceptance', '=', true)
}

function refusedFeed(db: Db) {
  return db
    .selectFrom('publication_checks')
    .select(named('FeedRefused'))
    .select(sql<string>`string_agg(kind || ': ' || refusal, '; ' order by kind)`.as('details'))
    .where('refusal', 'is not', null)
    .having(({ fn }) => fn.countAll(), '>', 0)
}

/** A retry keeps the run's id, and until it ends, the alert. */
function failedPipeline(db: Db) {
  const lastRun = db
    .selectFrom('xml_pipeline_runs')
    .select(['id', 'status', 'error'])
    .where((eb) => eb.or([eb('status', '<>', 'RUNNING'), eb('attempts', '>', 1)]))
    .where('dry_run', '=', false)
    .orderBy('id', 'desc')
    .limit(1)
  return db
    .selectFrom(lastRun.as('run'))
    .select(named('PipelineFailed'))
    .select(sql<string>`format('Run %s: %s', id, coalesce(error, 'it is being retried'))`.as('details'))
    .where('status', '<>', 'SUCCEEDED')
}

function failingMails(db: Db, now: Date, staff: string[]) {
  const lastSuccess = db
    .selectFrom('mails')
    .select(({ fn }) => fn.max('sent_at').as('sent_at'))
    .where('status', '=', 'SENT')
    .where('sent_at', '<=', now)
  const details = sql<string>`format('Mails: %s, the oldest of %s. Last error: %s',
    count(*), ${isoTime(sql`min(created_at)`)}, (array_agg(last_error order by id desc))[1])`
  return db
    .selectFrom('mails')
    .select([named('MailsFailing'), details.as('details')])
    .where('created_at', '<=', hourBefore(now))
    .where('created_at', '>=', sql<Date>`coalesce((${lastSuccess}), '-infinity')`)
    .where(({ and, eb, or }) => {
      const toStaff = eb('recipient', '=', sql<string>`any(${staff}::text[])`)
      return or([
        and([eb('status', '=', 'PENDING'), eb('last_error', 'is not', null)]),
        // Without any attempt: beyond `customer_mails_per_hour`.
        and([eb('status', '=', 'FAILED'), or([eb('attempts', '>', 1), and([toStaff, eb('attempts', '>', 0)])])]),
      ])
    })
    .having(({ fn }) => fn.countAll(), '>', 0)
}

function failingWebhook(db: Db, now: Date) {
  return db
    .selectFrom('webhooks')
    .select([named('WebhooksFailing'), webhookDetails(db, sql`failing_since`).as('details')])
    .where('active', '=', true)
    .where('failing_since', '<=', hourBefore(now))
    .where(({ exists, selectFrom }) =>
      exists(
        selectFrom('webhook_deliveries')
          .whereRef('webhook_id', '=', 'webhooks.id')
          .where('webhook_deliveries.status', '=', 'PENDING'),
      ),
    )
    .orderBy('failing_since')
    .orderBy('id')
    .limit(1)
}

function switchedOffWebhook(db: Db) {
  return db
    .selectFrom('webhooks')
    .select([named('WebhookSwitchedOff'), webhookDetails(db, sql`switched_off_at`).as('details')])
    .where('active', '=', false)
    .where('switched_off_at', 'is not', null)
    .orderBy('switched_off_at', 'desc')
    .orderBy('id')
    .limit(1)
}

/** Without the URL, which may hold a secret. */
function webhookDetails(db: Db, since: Expression<unknown>) {
  const lastError = db
    .selectFrom('webhook_deliveries as delivery')
    .select('last_error')
    .where('webhook_id', '=', sql<number>`webhooks.id`)
    .where('last_error', 'is not', null)
    .orderBy('delivery.id', 'desc')
    .limit(1)
  return sql<string>`format('Webhook %s, since %s. Last error: %s',
    webhooks.id, ${isoTime(since)}, coalesce((${lastError}), 'none'))`
}
