import { type Kysely, sql } from 'kysely'

/**
 * The next sync reads all products, and thereby sanitises the supplier's descriptions from before they were sanitised.
 * Their table is unused from now on.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    delete from sync_state
    where sync_type = 'PRODUCTS' and exists (select from unsanitized_products)`.execute(db)
  await sql`delete from unsanitized_products`.execute(db)
}
