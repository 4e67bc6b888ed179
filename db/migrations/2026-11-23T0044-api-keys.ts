import { type Kysely, sql } from 'kysely'

/** Keys for scripts, and their names in the audit log. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db)
}

const statements = [
  `create table api_keys (
    id int generated always as identity primary key,
    name text not null,
    role text not null check (role in ('EDITOR', 'MANAGER', 'ADMIN')),
    key_hash bytea not null unique,
    expires_at timestamptz,
    last_used_at timestamptz,
    created_at timestamptz not null default now(),
    created_by text not null
  )`,
  `alter table audit_log add column actor_key text`,
  `create index audit_log_actor_key on audit_log (actor_key, id) where actor_key is not null`,
]
