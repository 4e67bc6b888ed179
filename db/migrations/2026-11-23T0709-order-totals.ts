import { type Kysely, sql } from 'kysely'

/** The sum of an order's lines beside it, by which staff's list is sorted. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table orders add items_total numeric(12, 2) not null default 0`.execute(db)
  await sql`
    update orders set items_total = lines.total
    from (select order_id, sum(line_total) as total from order_items group by order_id) lines
    where lines.order_id = orders.id`.execute(db)
  await sql`
    alter table orders add total numeric(12, 2) not null generated always as (items_total + delivery_cost) stored`.execute(
    db,
  )
  await sql`create index orders_total on orders (total, id)`.execute(db)
}
