import { type Kysely, sql } from 'kysely'

/** Password resets, links to orders, and mails with an HTML part or with secrets. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db)
}

const statements = [
  // One row per address, of an account or not; without a reference, whose check would take time for accounts only.
  `create table password_resets (
    email_hash bytea primary key,
    user_id int,
    token_version int,
    token_hash bytea not null unique,
    expires_at timestamptz not null
  )`,
  `alter table mails add column html text, add column sealed bytea`,
  `alter table orders add column tracking_hash bytea, add column tracking_sealed bytea`,
  `create unique index orders_tracking_hash on orders (tracking_hash) where tracking_hash is not null`,
  `insert into app_config (key, value, description) values
    ('customer_mails', 'true', 'Whether customers get mails about their orders'),
    ('mail_language', 'ru', 'Language of all mails: ru or en'),
    ('password_reset_path', '/reset-password', 'Page of the storefront for a new password; mails append ?token='),
    ('order_status_path', '/order', 'Page of the storefront for the state of an order; mails append /token')
    on conflict (key) do nothing`,
]
