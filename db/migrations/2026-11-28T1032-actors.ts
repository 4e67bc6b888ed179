import { type Kysely, sql } from 'kysely'

/** Who an author is besides the name, which a customer, an account and an API key may share. */
export async function up(db: Kysely<unknown>): Promise<void> {
  // Null: recorded before.
  await sql`
    alter table order_history
      add column actor_kind text check (actor_kind in ('USER', 'API_KEY', 'CUSTOMER'))`.execute(db)

  // A key may do what its creator still may, so nothing once that account is gone.
  await sql`
    alter table api_keys add column created_by_id int references users on delete set null;
    update api_keys set created_by_id = users.id from users where users.email = api_keys.created_by`.execute(db)
}
