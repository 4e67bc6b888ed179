import { sql } from 'kysely'
import type { AlertName } from '../../../src/rules/operations/alerts.ts'
import type { Db } from '../../database.ts'
import { onlyRow } from '../../prepared.ts'

/** What the metrics show of the database. Times are JSON strings; null: never. */
export type FiguresRow = {
  /** Start of the newest sync run that succeeded. */
  synced_at: Date | null
  /** The published feeds. */
  feeds: { kind: string; built_at: string; offers: number }[]
  scraping_waiting: number
  mails_waiting: number
  /** For webhooks that are switched on. */
  webhooks_waiting: number
  /** The newest successful run of each job. */
  job_successes: { job: string; finished_at: string }[]
  /** Names of the open alerts. */
  alerts: AlertName[]
}

/** Reads all figures in one statement, each over an index or a small table. */
export async function readFigures(db: Db): Promise<FiguresRow> {
  const { rows } = await sql<FiguresRow>`
    select
      (select started_at from sync_runs where status = 'SUCCEEDED' order by id desc limit 1) as synced_at,
      coalesce((
        select json_agg(feed) from (
          select distinct on (kind) kind, built_at, entries as offers from publications
          where kind <> 'sitemap' order by kind, id desc
        ) feed
      ), '[]') as feeds,
      (
        select count(*) from gbstore_scrape_queue where status in ('PENDING', 'IN_PROGRESS')
      ) as scraping_waiting,
      (select count(*) from mails where status = 'PENDING') as mails_waiting,
      (
        select count(*) from webhook_deliveries d join webhooks w on w.id = d.webhook_id
        where d.status = 'PENDING' and w.active
      ) as webhooks_waiting,
      coalesce((select json_agg(name) from alerts where ended_at is null), '[]') as alerts,
      coalesce((
        select json_agg(success) from (
          select job, max(finished_at) as finished_at from job_runs where status = 'SUCCEEDED' group by job
        ) success
      ), '[]') as job_successes`.execute(db)
  return onlyRow(rows)
}

/** @throws Error for a standby, and for a database in read-only mode */
export async function checkWritable(db: Db): Promise<void> {
  const { rows } = await sql<{ readOnly: boolean }>`
    select current_setting('transaction_read_only') = 'on' as "readOnly"`.execute(db)
  if (onlyRow(rows).readOnly) throw new Error('The database is read-only')
}
