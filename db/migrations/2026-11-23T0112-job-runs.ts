import { type Kysely, sql } from 'kysely'

/** Runs of background jobs; the row of a run in progress keeps other instances from starting another. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db)
}

const statements = [
  `create table job_runs (
    id bigint generated always as identity primary key,
    job text not null,
    status text not null default 'RUNNING' check (status in ('RUNNING', 'SUCCEEDED', 'FAILED')),
    instance text not null,
    due_at timestamptz,
    started_at timestamptz not null default now(),
    heartbeat_at timestamptz not null default now(),
    finished_at timestamptz,
    error text,
    unique (job, due_at)
  )`,
  `create unique index job_runs_running on job_runs (job) where status = 'RUNNING'`,
  `create index job_runs_newest on job_runs (job, id)`,
  `insert into app_config (key, value, description)
    select 'job_' || job || '_enabled', 'true', 'Whether the job ' || replace(job, '_', '-') || ' runs on its schedule'
    from unnest(array['feed_rebuild', 'overdue_rebuilds', 'image_variants', 'mail_delivery', 'order_release', 'popularity',
      'purge', 'orphaned_objects']) as job
    on conflict (key) do nothing`,
]
