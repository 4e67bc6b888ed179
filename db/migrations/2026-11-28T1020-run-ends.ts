import { type Kysely, sql } from 'kysely'

/** Tells runs of living processes from those of dead ones, and syncs that were done from those that were interrupted. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table sync_runs
      add column heartbeat_at timestamptz not null default now(),
      add column imported boolean not null default false`.execute(db)
  await sql`alter table xml_pipeline_runs add column heartbeat_at timestamptz not null default now()`.execute(db)
  await sql`
    insert into app_config (key, value, description) values
      ('job_run_recovery_enabled', 'true', 'Whether the job run-recovery runs on its schedule')
    on conflict do nothing`.execute(db)
}
