import { sql } from 'kysely'
import type { Trx } from '../../database.ts'
import { LOCKS } from '../../locks.ts'
import { lockQuantities } from '../stock/availability.ts'

/**
 * Serializes transactions that write many products (a page of the sync, a bulk edit, the deletion of a category), delete
 * one, or change a product's name or category: they would lock the same rows of products, search words and categories in
 * different orders. Take it before any of these rows or those of orders. Other edits of a single product don't need it.
 */
export async function lockProductRows(trx: Trx): Promise<void> {
  await sql`select pg_advisory_xact_lock(${LOCKS.productRows}::int)`.execute(trx)
}

/** @returns whether the product exists */
export async function lockProduct(trx: Trx, id: number): Promise<boolean> {
  const row = await trx
    .selectFrom('products')
    .select('id')
    .where('id', '=', id)
    .forNoKeyUpdate()
    .executeTakeFirst()
  return row !== undefined
}

/** Adds a row to the history of a product's stock. */
export async function recordStock(trx: Trx, productId: number, quantity: number): Promise<void> {
  await trx.insertInto('stock').values({ product_id: productId, quantity }).execute()
}

/** Locks referenced records until the transaction ends. @returns the ids of those that exist */
export async function lockReferences(
  trx: Trx,
  table: 'categories' | 'brands' | 'images' | 'tags',
  ids: number[],
): Promise<number[]> {
  const { rows } = await sql<{ id: number }>`
    select id from ${sql.table(table)} where id = any(${ids}::int[]) order by id for key share`.execute(trx)
  return rows.map(({ id }) => id)
}

/** Locks the category or brand with the supplier's id until the transaction ends. @returns its id */
export async function lockByExternalId(
  trx: Trx,
  table: 'categories' | 'brands',
  externalId: string | null,
): Promise<number | null> {
  if (externalId === null) return null
  const row = await trx
    .selectFrom(table)
    .select('id')
    .where('external_id', '=', externalId)
    .forKeyShare()
    .executeTakeFirst()
  return row?.id ?? null
}

/**
 * Locks the rows that refer to a product, in the order in which orders are placed and changed: orders by id, the
 * product's quantity, then lines. Requires lockProductRows; lock the product itself afterwards.
 */
export async function lockForDeletion(trx: Trx, id: number): Promise<void> {
  await sql`
    select from orders where id in (select order_id from order_items where product_id = ${id}::int)
    order by id for no key update`.execute(trx)
  await lockQuantities(trx, [id])
  await sql`select from order_items where product_id = ${id}::int order by id for update`.execute(trx)
}

/**
 * Deletes a product; order lines and reviews remain without it. Its supplier's id is stored, so that the sync doesn't
 * bring it back.
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
    with deleted as (delete from products where id = ${id}::int returning external_id, name)
    insert into deleted_products (external_id, name) select external_id, name from deleted where external_id is not null
    on conflict (external_id) do update set deleted_at = excluded.deleted_at, name = excluded.name`.execute(
    trx,
  )
  return reviews.map((row) => row.id)
}

/** Makes a new product the one with a supplier's id: quantities that orders hold of a deleted one become this one's. */
export async function attachExternalId(trx: Trx, id: number, externalId: string): Promise<void> {
  await trx.deleteFrom('deleted_products').where('external_id', '=', externalId).execute()
  const lines = sql`product_id is null and holding and product_external_id = ${externalId}`
  await sql`
    select from orders where id in (select order_id from order_items where ${lines})
    order by id for no key update`.execute(trx)
  await sql`update order_items set product_id = ${id}::int where ${lines}`.execute(trx)
}
