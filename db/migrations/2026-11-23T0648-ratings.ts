import { type Kysely, sql } from 'kysely'

/** Ratings of products are read from this index alone. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`create index reviews_product_rating on reviews (product_id, active, rating)`.execute(db)
  await sql`drop index reviews_product`.execute(db)
}
