import { sql } from 'kysely'
import type { Trx } from '../../database.ts'
import { lockQuantities } from '../stock/availability.ts'

/**
 * Locks what hangs on a product before the product itself, in the order in which orders are placed and changed: orders
 * in order of id, the product's quantity, then lines. To be called with lockProductRows.
 */
export async function lockForDeletion(trx: Trx, id: number): Promise<void> {
  await sql`
    select from orders where id in (select order_id from order_items where product_id = ${id}::int)
    order by id for no key update`.execute(trx)
  await lockQuantities(trx, [id])
  await sql`select from order_items where product_id = ${id}::int order by id for update`.execute(trx)
}

/**
 * Deletes a product with all that is only its own. Lines of orders and reviews stay without it. The supplier's id is
 * remembered, so that the sync doesn't bring it back.
 * @returns the ids of its reviews
 */
export async function deleteProduct(trx: Trx, id: number): Promise<number[]> {
  const reviews = await trx
    .updateTable('reviews')
    .set({ product_id: null })
    .where('product_id', '=', id)
    .returning('id')
    .execute()
  await sql`
    with deleted as (delete from products where id = ${id}::int returning external_id)
    insert into deleted_products (external_id) select external_id from deleted where external_id is not null
    on conflict (external_id) do update set deleted_at = excluded.deleted_at`.execute(trx)
  return reviews.map((row) => row.id)
}

/**
 * A product is the supplier's again whose id staff had deleted, or who hasn't listed it yet: what orders still hold of
 * it is held of this product.
 */
export async function attachExternalId(trx: Trx, id: number, externalId: string): Promise<void> {
  await trx.deleteFrom('deleted_products').where('external_id', '=', externalId).execute()
  const lines = sql`product_id is null and holding and product_external_id = ${externalId}`
  await sql`
    select from orders where id in (select order_id from order_items where ${lines})
    order by id for no key update`.execute(trx)
  await sql`update order_items set product_id = ${id}::int where ${lines}`.execute(trx)
}
