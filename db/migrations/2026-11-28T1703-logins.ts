import { type Kysely, sql } from 'kysely'

/** The last logins of each account, for its owner. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table logins (
      id int generated always as identity primary key,
      user_id int not null references users on delete cascade,
      created_at timestamptz not null default now(),
      network text not null,
      client text,
      outcome text not null check (outcome in ('SUCCEEDED', 'WRONG_PASSWORD', 'WRONG_CODE', 'CODE_REQUIRED'))
    );
    create index logins_user_id on logins (user_id, id)`.execute(db)
}
