import { type Kysely, sql } from 'kysely'

/** Versions of the records of staff that had none, so that a stale form can't overwrite a newer edit. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const table of ['users', 'brands', 'contact_requests', 'webhooks', 'license_prices', 'license_topups']) {
    await sql`alter table ${sql.table(table)} add column version int not null default 1`.execute(db)
  }
  // An attribute without settings has the version 0.
  await sql`alter table attribute_settings add column version int not null default 0`.execute(db)
}
