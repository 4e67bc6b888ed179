import { type Kysely, sql } from 'kysely'

/** The ways of delivery that a customer chooses from. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    insert into app_config (key, value, description, is_public) values
      ('delivery_methods', '[]', 'JSON list of the ways of delivery, each {code, name, price, freeFrom}; empty: customers write what they like', true)
    on conflict do nothing`.execute(db)
}
