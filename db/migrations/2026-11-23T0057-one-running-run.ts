import { type Kysely, sql } from 'kysely'

/** At most one run of each kind is RUNNING, even if a paused process still believes that it has the lock. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const table of ['sync_runs', 'xml_pipeline_runs']) {
    await sql`
      update ${sql.table(table)}
      set status = 'FAILED', finished_at = now(), error = 'Interrupted: the process ended'
      where status = 'RUNNING' and id < (select max(id) from ${sql.table(table)} where status = 'RUNNING')`.execute(db)
    await sql`drop index ${sql.ref(`${table}_running`)}`.execute(db)
    await sql`
      create unique index ${sql.ref(`${table}_running`)} on ${sql.table(table)} (status)
      where status = 'RUNNING'`.execute(db)
  }
}
