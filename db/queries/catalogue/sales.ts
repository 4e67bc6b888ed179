import { sql } from 'kysely'
import type { Trx } from '../../database.ts'

/**
 * Counts anew how much of each product was ordered in so many days; what was cancelled counts for nothing.
 * @returns the products of which that is another figure now
 */
export async function countSales(trx: Trx, days: number): Promise<number[]> {
  const { rows } = await sql<{ product_id: number }>`
    with sold as (
      select i.product_id, sum(i.quantity)::int as quantity
      from orders o join order_items i on i.order_id = o.id
      where o.created_at > now() - ${days}::int * interval '1 day' and o.status <> 'CANCELLED'
        and i.product_id is not null
      group by i.product_id
    ), gone as (
      delete from product_sales s where not exists (select from sold where sold.product_id = s.product_id)
      returning product_id
    ), changed as (
      insert into product_sales as s (product_id, quantity) select product_id, quantity from sold
      on conflict (product_id) do update set quantity = excluded.quantity
      where s.quantity <> excluded.quantity
      returning product_id
    )
    select product_id from gone union all select product_id from changed`.execute(trx)
  return rows.map(({ product_id }) => product_id)
}
