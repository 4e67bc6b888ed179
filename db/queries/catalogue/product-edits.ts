import { type Insertable, sql, type Updateable } from 'kysely'
import type { Trx } from '../../database.ts'
import { LOCKS } from '../../locks.ts'
import type { ProductsTable } from '../../tables/products.ts'

/**
 * Until the transaction ends nobody else writes many products (a page of the sync, a bulk edit, the end of a category),
 * deletes one, or gives one a name or a category: these would meet the same rows in different orders, those of the
 * search's words and of categories among them. To be taken before any of the rows, of orders too. Whoever changes
 * something else of a single product needs it not.
 */
export async function lockProductRows(trx: Trx): Promise<void> {
  await sql`select pg_advisory_xact_lock(${LOCKS.productRows}::int)`.execute(trx)
}

/** Keeps others from changing the product until the transaction ends. @returns whether it is there */
export async function lockProduct(trx: Trx, id: number): Promise<boolean> {
  const row = await trx
    .selectFrom('products')
    .select('id')
    .where('id', '=', id)
    .forNoKeyUpdate()
    .executeTakeFirst()
  return row !== undefined
}

/**
 * Writes and counts a change that staff made. Once in a transaction: the second time PostgreSQL would look for the
 * product's category again, and wait for who is deleting it and wants the product.
 */
export async function updateProduct(trx: Trx, id: number, values: Updateable<ProductsTable>): Promise<void> {
  await trx
    .updateTable('products')
    .set({ ...values, version: sql`version + 1`, updated_at: sql`now()` })
    .where('id', '=', id)
    .execute()
}

/** The id of a product that is about to be inserted: its slug may be made of it. */
export async function nextProductId(trx: Trx): Promise<number> {
  const { rows } = await sql<{ id: number }>`
    select nextval(pg_get_serial_sequence('products', 'id'))::int as id`.execute(trx)
  const id = rows[0]?.id
  if (id === undefined) throw new Error('No id was given')
  return id
}

export async function insertProduct(trx: Trx, values: Insertable<ProductsTable>): Promise<void> {
  await trx.insertInto('products').values(values).execute()
}

/** A row of the history of a product's stock. */
export async function recordStock(trx: Trx, productId: number, quantity: number): Promise<void> {
  await trx.insertInto('stock').values({ product_id: productId, quantity }).execute()
}

/** Whether the category or brand is there; it stays until the transaction ends. */
export async function lockReference(trx: Trx, table: 'categories' | 'brands', id: number): Promise<boolean> {
  const row = await trx.selectFrom(table).select('id').where('id', '=', id).forKeyShare().executeTakeFirst()
  return row !== undefined
}

/** The category or brand that the supplier calls so, which stays until the transaction ends; null when there is none. */
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

/** Whether a product of the supplier's has this id. */
export async function hasExternalId(trx: Trx, externalId: string): Promise<boolean> {
  const row = await trx
    .selectFrom('products')
    .select('id')
    .where('external_id', '=', externalId)
    .executeTakeFirst()
  return row !== undefined
}
