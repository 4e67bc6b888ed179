import { type Kysely, sql } from 'kysely'

/** Webhooks and what is delivered to them: rows are written in the transaction of the change. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db)
}

const statements = [
  `create table webhooks (
    id int generated always as identity primary key,
    url text not null,
    events text[] not null,
    active boolean not null,
    description text not null,
    secret text not null,
    previous_secret text,
    previous_secret_until timestamptz,
    failing_since timestamptz,
    switched_off_at timestamptz,
    lease int not null default 0,
    leased_until timestamptz,
    created_at timestamptz not null default now()
  )`,
  `create table webhook_deliveries (
    id bigint generated always as identity primary key,
    webhook_id int not null references webhooks on delete cascade,
    message_id uuid not null default gen_random_uuid(),
    event text not null,
    body text not null,
    status text not null default 'PENDING' check (status in ('PENDING', 'DELIVERED', 'FAILED')),
    attempts int not null default 0,
    next_attempt_at timestamptz not null default now(),
    response_status int,
    response text,
    last_error text,
    created_at timestamptz not null default now(),
    finished_at timestamptz
  )`,
  `create index webhook_deliveries_webhook on webhook_deliveries (webhook_id, id)`,
  `create index webhook_deliveries_pending on webhook_deliveries (webhook_id, id) where status = 'PENDING'`,
  `create index webhook_deliveries_finished on webhook_deliveries (finished_at) where finished_at is not null`,
  `insert into app_config (key, value, description) values
    ('job_webhook_delivery_enabled', 'true', 'Whether the job webhook-delivery runs on its schedule')
    on conflict (key) do nothing`,
]
