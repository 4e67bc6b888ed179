import { type Kysely, sql } from 'kysely'

/**
 * Products are found and sorted in memory; what the database does for it is the stems of words, and how often each
 * product was ordered. Indexes that only its own searches and sort orders read go: each edit entered all of them.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db)
}

const statements = [
  `drop index products_search_name, products_in_stock, products_final_price, products_final_price_desc,
    products_stock, products_created_at`,

  // Snowball without stop words: who searches for one means it.
  `create text search dictionary search_russian (template = snowball, language = russian)`,
  `create text search dictionary search_english (template = snowball, language = english)`,
  `create text search configuration search (copy = simple)`,
  `alter text search configuration search alter mapping for asciiword with search_english`,
  `alter text search configuration search alter mapping for word with search_russian`,

  // How often each product was ordered of late: what the best matches are sorted by at last.
  `create table product_sales (
    product_id int primary key references products on delete cascade,
    quantity int not null
  )`,
]
