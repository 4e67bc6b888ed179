import { type Kysely, sql } from 'kysely'

/** A tag's products in the order of their ids out of an index alone: what its landing page is merged from. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`create index product_tags_products on product_tags (tag_id, product_id)`.execute(db)
  await sql`drop index product_tags_tag`.execute(db)
}
