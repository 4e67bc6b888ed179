import { type Kysely, sql } from 'kysely'

/** What a full load proved, and what it missed: two in a row decide (contract section 8, "Sync"). */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db)
}

const statements = [
  `alter table sync_state add column next_sync_time timestamptz`,
  `create table sync_full_loads (
    sync_type text primary key check (sync_type in ('CATEGORIES', 'BRANDS', 'PRODUCTS')),
    trusted_at timestamptz,
    empty boolean not null default false
  )`,
  `create table sync_missed (
    sync_type text not null check (sync_type in ('CATEGORIES', 'BRANDS', 'PRODUCTS')),
    external_id text not null,
    primary key (sync_type, external_id)
  )`,
  `insert into app_config (key, value, description, is_public) values
    ('sync_full_hours', '24', 'Hours after which the sync reads everything again, not only what changed', false)
  on conflict (key) do update set is_public = false, description = excluded.description`,
]
