import { sql } from 'kysely'
import type { Db } from '../../database.ts'
import { NETWORK_LIFETIME } from '../accounts/rate-limits.ts'
import { KEY_LIFETIME } from '../orders/idempotency-keys.ts'
import { MAX_KEPT_RUNS } from './job-runs.ts'

const DELETIONS: ((db: Db) => Promise<unknown>)[] = [
  (db) => db.deleteFrom('mails').where('status', '<>', 'PENDING').where('created_at', '<', daysAgo(30)).execute(),
  deleteOldJobRuns,
  (db) => db.deleteFrom('sync_runs').where('started_at', '<', daysAgo(30)).where('status', '<>', 'RUNNING').execute(),
  (db) =>
    db
      .deleteFrom('xml_pipeline_runs')
      .where('started_at', '<', daysAgo(90))
      .where('status', '<>', 'RUNNING')
      .where(({ exists, not, selectFrom }) =>
        not(exists(selectFrom('xml_snapshots').whereRef('run_id', '=', 'xml_pipeline_runs.id'))),
      )
      .execute(),
  (db) => db.deleteFrom('alerts').where('ended_at', '<', daysAgo(90)).execute(),
  (db) => db.deleteFrom('webhook_deliveries').where('finished_at', '<', daysAgo(14)).execute(),
  (db) =>
    db
      .deleteFrom('webhook_deliveries as delivery')
      .using('webhooks')
      .whereRef('webhooks.id', '=', 'delivery.webhook_id')
      .where('webhooks.active', '=', false)
      .where('delivery.status', '=', 'PENDING')
      .where('delivery.created_at', '<', daysAgo(14))
      .execute(),
  (db) =>
    db.deleteFrom('order_idempotency_keys').where('created_at', '<', sql<Date>`now() - ${KEY_LIFETIME}`).execute(),
  // A counter that is locked is being incremented.
  (db) =>
    db
      .deleteFrom('rate_limits')
      .where('key', 'in', ({ selectFrom }) =>
        selectFrom('rate_limits').select('key').where('resets_at', '<=', sql<Date>`now()`).forUpdate().skipLocked(),
      )
      .execute(),
  // The last one of each account stays: it has logged in before.
  (db) =>
    db
      .deleteFrom('login_networks as old')
      .where('last_login_at', '<', sql<Date>`now() - ${NETWORK_LIFETIME}`)
      .where(({ exists, selectFrom }) =>
        exists(
          selectFrom('login_networks as newer')
            .select('newer.user_id')
            .whereRef('newer.user_id', '=', 'old.user_id')
            .where(sql<boolean>`(newer.last_login_at, newer.network) > (old.last_login_at, old.network)`),
        ),
      )
      .execute(),
  (db) => db.deleteFrom('password_resets').where('expires_at', '<=', sql<Date>`now()`).execute(),
  (db) => endLongWaits(db, 'mails'),
  (db) => endLongWaits(db, 'webhook_deliveries'),
  (db) => endLongWaits(db, 'gbstore_scrape_queue'),
]

/** Deletes what has no effect any more, and what has been kept long enough. @throws the first failure, after all deletions */
export async function deleteExpired(db: Db): Promise<void> {
  const failures: unknown[] = []
  for (const deletion of DELETIONS) await deletion(db).catch((error: unknown) => failures.push(error))
  if (failures.length > 0) throw failures[0]
}

function daysAgo(days: number) {
  return sql<Date>`now() - ${days}::int * interval '1 day'`
}

/** The last success of each job stays: the metrics show how long ago it was. */
function deleteOldJobRuns(db: Db) {
  return db
    .deleteFrom('job_runs')
    .using(({ selectFrom }) =>
      selectFrom('job_runs')
        .select(({ and, eb, fn, or }) => {
          const position = fn.agg<number>('row_number').over((over) => over.partitionBy('job').orderBy('id', 'desc'))
          const positionInStatus = fn
            .agg<number>('row_number')
            .over((over) => over.partitionBy(['job', 'status']).orderBy('id', 'desc'))
          const isSpare = or([eb('status', '<>', 'SUCCEEDED'), eb(positionInStatus, '>', 1)])
          return ['id', and([eb(position, '>', MAX_KEPT_RUNS), isSpare]).as('is_old')]
        })
        .as('run'),
    )
    .whereRef('run.id', '=', 'job_runs.id')
    .where('is_old', '=', true)
    .execute()
}

/** For due times that were set while the clock was ahead: no retry takes longer. */
function endLongWaits(db: Db, queue: 'mails' | 'webhook_deliveries' | 'gbstore_scrape_queue') {
  return db
    .updateTable(queue)
    .set({ next_attempt_at: sql`now()` })
    .where('status', '=', 'PENDING')
    .where('next_attempt_at', '>', sql<Date>`now() + interval '25 hours'`)
    .execute()
}
