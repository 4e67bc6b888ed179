import { type Kysely, sql } from 'kysely'

/** What the dashboard counts, each out of an index alone. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db)
}

const statements = [
  `create index products_without_price on products (id) where active and coalesce(final_price, 0) <= 0`,
  `create index products_without_category on products (id) where active and category_id is null`,
  // The revenue needs the amounts of a month's orders, and nothing else of their lines.
  `drop index order_items_order`,
  `create index order_items_order on order_items (order_id, id) include (line_total)`,
  `create index mails_failed on mails (id) where status = 'FAILED'`,
  `create index sync_runs_failed on sync_runs (started_at) where status = 'FAILED'`,
]
