import { type RawBuilder, sql } from 'kysely'
import type { Db } from '../../database.ts'

/** A value of the metric `name`. */
export type Figure = { name: string; labels: { [name: string]: string }; value: number }

/** Reads all that the metrics show of the database in one statement, each over an index or a small table. */
export function readFigures(db: Db): Promise<Figure[]> {
  return db
    .with('feeds', (cte) =>
      cte
        .selectFrom('publications')
        .distinctOn('kind')
        .select([labelled('kind', sql`kind`), 'built_at', 'entries'])
        .where('kind', '<>', 'sitemap')
        .orderBy('kind')
        .orderBy('id', 'desc'),
    )
    .with('queues', selectQueues)
    .selectFrom('job_runs')
    .select([named('job_last_success_timestamp_seconds'), labelled('name', sql`job`)])
    .select(sql<number>`extract(epoch from (array_agg(finished_at order by id desc))[1])::float8`.as('value'))
    .where('status', '=', 'SUCCEEDED')
    .groupBy('job')
    .unionAll(({ selectFrom }) => {
      const newest = selectFrom('sync_runs').select('started_at').where('status', '=', 'SUCCEEDED')
      return selectFrom(newest.orderBy('id', 'desc').limit(1).as('newest')).select([
        named('sync_lag_seconds'),
        sql<Labels>`'{}'::json`.as('labels'),
        secondsSince(sql`started_at`).as('value'),
      ])
    })
    .unionAll(({ selectFrom }) =>
      selectFrom('feeds').select([named('feed_age_seconds'), 'labels', secondsSince(sql`built_at`).as('value')]),
    )
    .unionAll(({ selectFrom }) => selectFrom('feeds').select([named('feed_offers'), 'labels', 'entries as value']))
    .unionAll(({ selectFrom }) =>
      selectFrom('queues').select([named('queue_depth'), labelled('queue', sql`queue`), 'waiting as value']),
    )
    .unionAll(({ selectFrom }) =>
      selectFrom('alerts')
        .select([named('alerts_open'), labelled('name', sql`name`), sql<number>`1`.as('value')])
        .where('ended_at', 'is', null),
    )
    .execute()
}

type Labels = Figure['labels']
const named = (name: string) => sql.lit(name).as('name')
const labelled = (label: string, value: RawBuilder<unknown>) =>
  sql<Labels>`json_build_object(${sql.lit(label)}, ${value})`.as('labels')

/** What waits in each queue. */
function selectQueues(db: Pick<Db, 'selectFrom'>) {
  const queue = (name: string) => [sql.lit(name).as('queue'), sql<number>`count(*)`.as('waiting')] as const
  return db
    .selectFrom('gbstore_scrape_queue')
    .select(queue('scraping'))
    .where('status', 'in', ['PENDING', 'IN_PROGRESS'])
    .unionAll(db.selectFrom('mails').select(queue('mail')).where('status', '=', 'PENDING'))
    .unionAll(
      db
        .selectFrom('webhook_deliveries')
        .innerJoin('webhooks', 'webhooks.id', 'webhook_deliveries.webhook_id')
        .select(queue('webhooks'))
        .where('status', '=', 'PENDING')
        .where('active', '=', true),
    )
}

/** A clock that was set back must not make it negative. */
function secondsSince(time: RawBuilder<unknown>) {
  return sql<number>`greatest(0, extract(epoch from now() - ${time}))::float8`
}

/** Whether the C library knows Cyrillic letters, which indexes of trigrams need. */
export async function hasCyrillicClasses(db: Db): Promise<boolean> {
  const known = sql<boolean>`show_trgm('ж') <> '{}'`.as('known')
  return (await db.selectNoFrom(known).executeTakeFirstOrThrow()).known
}

/** @throws Error for a standby, and for a database in read-only mode */
export async function checkWritable(db: Db): Promise<void> {
  const readOnly = sql<boolean>`current_setting('transaction_read_only') = 'on'`
  const found = await db.selectNoFrom(readOnly.as('readOnly')).executeTakeFirstOrThrow()
  if (found.readOnly) throw new Error('The database is read-only')
}
