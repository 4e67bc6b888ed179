import { type Kysely, sql } from 'kysely'

/** The second factor of logins. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table users add column totp_enabled boolean not null default false;

    create table totp_secrets (
      user_id int primary key references users on delete cascade,
      -- Sealed with a key derived from JWT_SECRET.
      secret bytea not null,
      -- The step of the last code that was used.
      last_step int not null default 0
    );

    create table recovery_codes (
      user_id int not null references totp_secrets on delete cascade,
      code_hash bytea not null,
      primary key (user_id, code_hash)
    )`.execute(db)
}
