import { type Kysely, sql } from 'kysely'

/** Descriptions from before they were sanitised, which the next start does. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db)
}

const statements = [
  `create table unsanitized_products (
    product_id int primary key references products on delete cascade
  )`,
  `insert into unsanitized_products
    select id from products where description like '%<%' or supplier_description like '%<%'`,
]
