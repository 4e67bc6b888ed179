import { type Kysely, sql } from 'kysely'

/** Alerts of operators, at most one open per name, and what the last check of a built feed said. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db)
}

const statements = [
  `create table alerts (
    id bigint generated always as identity primary key,
    name text not null,
    details text not null,
    began_at timestamptz not null,
    absent_since timestamptz,
    ended_at timestamptz
  )`,
  `create unique index alerts_open on alerts (name) where ended_at is null`,
  `create table publication_checks (
    kind text primary key check (kind in ('feed', 'sitemap')),
    checked_at timestamptz not null,
    refusal text
  )`,
  `insert into app_config (key, value, description) values
    ('alert_email', '', 'Receives alerts, several addresses separated by commas; empty: notification_email'),
    ('alert_sync_minutes', '60', 'Minutes without a successful sync after which there is an alert'),
    ('job_alerts_enabled', 'true', 'Whether the job alerts runs on its schedule')
    on conflict (key) do nothing`,
]
