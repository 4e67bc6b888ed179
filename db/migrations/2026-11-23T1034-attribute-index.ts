import { type Kysely, sql } from 'kysely'

/**
 * Lists are narrowed by attributes in memory, and by the database only while that is being filled: a scan is quick enough,
 * and the index took an eighth of the time of a full load. Its function stays for instances of the version before.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`drop index product_attributes_key`.execute(db)
}
