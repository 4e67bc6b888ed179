import { type Kysely, sql } from 'kysely'

/** What staff deleted has a name, so that they find what to restore. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table deleted_products add column name text`.execute(db)
}
