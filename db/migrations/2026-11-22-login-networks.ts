import { type Kysely, sql } from 'kysely'

/** The networks that an account logs in from: a stranger elsewhere can't lock its owner out of them. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table login_networks (
      user_id int not null references users (id) on delete cascade,
      network text not null,
      last_login_at timestamptz not null default now(),
      primary key (user_id, network)
    )`.execute(db)
  await sql`create index login_networks_last_login_at on login_networks (last_login_at)`.execute(db)
}
