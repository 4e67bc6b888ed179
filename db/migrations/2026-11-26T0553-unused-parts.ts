import { type Kysely, sql } from 'kysely'

// contract: no version since 0.1.0 uses them, which is upgraded with all its instances stopped.
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table products drop column supplier_name, drop column supplier_description`.execute(db)
  await sql`drop table unsanitized_products, xml_skipped_offers`.execute(db)
}
