import { type Kysely, sql } from 'kysely'

/** What products are narrowed by: a value may be longer than an index entry, its hash is not. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create function attribute_hash(name text, value text) returns bigint
    language sql immutable strict parallel safe return hashtextextended(value, hashtextextended(name, 0))`.execute(db)
  // What is held of them is few, and looked up beside.
  await sql`
    create index products_in_stock on products (id) include (stock)
    where active and stock > 0 and final_price > 0`.execute(db)
  await sql`create index product_attributes_value on product_attributes (attribute_hash(name, value), product_id)`.execute(
    db,
  )
}
