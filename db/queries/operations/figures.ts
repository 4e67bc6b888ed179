import { type RawBuilder, sql } from 'kysely'
import type { Db } from '../../database.ts'
import { onlyRow } from '../../prepared.ts'

/** A value of the metric `name`. */
export type Figure = { name: string; labels: { [name: string]: string }; value: number }

/** Reads all that the metrics show of the database in one statement, each over an index or a small table. */
export async function readFigures(db: Db): Promise<Figure[]> {
  const { rows } = await sql<Figure>`
    with feeds as (
      select distinct on (kind) json_build_object('kind', kind) as labels, built_at, entries from publications
      where kind <> 'sitemap' order by kind, id desc
    ), queues (queue, waiting) as (
      select 'scraping', count(*) from gbstore_scrape_queue where status in ('PENDING', 'IN_PROGRESS')
      union all select 'mail', count(*) from mails where status = 'PENDING'
      union all select 'webhooks', count(*) from webhook_deliveries d join webhooks w on w.id = d.webhook_id
        where d.status = 'PENDING' and w.active
    )
    select 'job_last_success_timestamp_seconds' as name, json_build_object('name', job) as labels,
      extract(epoch from (array_agg(finished_at order by id desc))[1])::float8 as value
    from job_runs where status = 'SUCCEEDED' group by job
    union all
    select 'sync_lag_seconds', '{}', ${secondsSince(sql`started_at`)}
    from (select started_at from sync_runs where status = 'SUCCEEDED' order by id desc limit 1) newest
    union all
    select 'feed_age_seconds', labels, ${secondsSince(sql`built_at`)} from feeds
    union all
    select 'feed_offers', labels, entries from feeds
    union all
    select 'queue_depth', json_build_object('queue', queue), waiting from queues
    union all
    select 'alerts_open', json_build_object('name', name), 1 from alerts where ended_at is null`.execute(db)
  return rows
}

/** A clock that was set back must not make it negative. */
function secondsSince(time: RawBuilder<unknown>) {
  return sql`greatest(0, extract(epoch from now() - ${time}))::float8`
}

/** @throws Error for a standby, and for a database in read-only mode */
export async function checkWritable(db: Db): Promise<void> {
  const { rows } = await sql<{ readOnly: boolean }>`
    select current_setting('transaction_read_only') = 'on' as "readOnly"`.execute(db)
  if (onlyRow(rows).readOnly) throw new Error('The database is read-only')
}
