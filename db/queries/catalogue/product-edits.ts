import { type Insertable, type Selectable, sql, type Updateable } from 'kysely'
import type { ImageLink } from '../../../src/rules/catalogue/product-fields.ts'
import type { Db, Trx } from '../../database.ts'
import type { CatalogueTables } from '../../tables/catalogue.ts'
import { lockQuantities } from '../stock/reservations.ts'

/** Locks the products that exist, by id, until the transaction ends. */
export async function lockProducts(trx: Trx, ids: number[]): Promise<void> {
  await sql`select from products where id = any(${ids}::int[]) order by id for no key update`.execute(trx)
}

export async function recordStock(trx: Trx, productId: number, quantity: number): Promise<void> {
  await trx.insertInto('stock').values({ product_id: productId, quantity }).execute()
}

/** Keeps referenced records from being deleted until the transaction ends. @returns the ids of those that exist */
export async function lockReferences(
  trx: Trx,
  table: 'categories' | 'brands' | 'images' | 'tags' | 'products',
  ids: number[],
): Promise<number[]> {
  const { rows } = await sql<{ id: number }>`
    select id from ${sql.table(table)} where id = any(${ids}::int[]) order by id for key share`.execute(trx)
  return rows.map(({ id }) => id)
}

/**
 * Locks the rows that refer to a product, in the order in which orders are placed and changed: orders by id, the
 * product's quantity, then lines. Requires the lock of product rows; lock the product itself afterwards.
 */
export async function lockForDeletion(trx: Trx, id: number): Promise<void> {
  await sql`
    select from orders where id in (select order_id from order_items where product_id = ${id}::int)
    order by id for no key update`.execute(trx)
  await lockQuantities(trx, [id])
  await sql`select from order_items where product_id = ${id}::int order by id for update`.execute(trx)
}

/** Deletes a product for good; order lines and reviews remain without it. @returns the ids of its reviews */
export async function deleteProduct(trx: Trx, id: number): Promise<number[]> {
  const { rows } = await sql<{ id: number }>`
    update reviews set product_id = null where product_id = ${id}::int returning id`.execute(trx)
  await sql`
    with deleted as (delete from products where id = ${id}::int returning external_id, name)
    insert into deleted_products (external_id, name) select external_id, name from deleted where external_id is not null
    on conflict (external_id) do update
    set deleted_at = excluded.deleted_at, name = excluded.name`.execute(trx)
  return rows.map((review) => review.id)
}

/** Gives a new product a supplier's id: reservations of a deleted product with this id become its own. */
export async function attachExternalId(trx: Trx, id: number, externalId: string): Promise<void> {
  await trx.deleteFrom('deleted_products').where('external_id', '=', externalId).execute()
  const lines = sql`product_id is null and holding and product_external_id = ${externalId}`
  await sql`
    select from orders where id in (select order_id from order_items where ${lines})
    order by id for no key update`.execute(trx)
  await sql`update order_items set product_id = ${id}::int where ${lines}`.execute(trx)
}

export async function replaceManualAttributes(
  trx: Trx,
  product_id: number,
  attributes: { name: string; value: string }[],
): Promise<void> {
  const source = 'MANUAL' as const
  const rows = attributes.map(({ name, value }, position) => ({ product_id, source, position, name, value }))
  await trx.deleteFrom('product_attributes').where('product_id', '=', product_id).where('source', '=', source).execute()
  if (rows.length > 0) await trx.insertInto('product_attributes').values(rows).execute()
}

export async function replaceTags(trx: Trx, product_id: number, tagIds: number[]): Promise<void> {
  const rows = [...new Set(tagIds)].map((tag_id) => ({ product_id, tag_id }))
  await trx.deleteFrom('product_tags').where('product_id', '=', product_id).execute()
  if (rows.length > 0) await trx.insertInto('product_tags').values(rows).execute()
}

export async function replaceImages(trx: Trx, product_id: number, links: ImageLink[]): Promise<void> {
  await trx.deleteFrom('product_images').where('product_id', '=', product_id).execute()
  // Scraping may just have linked the same image.
  await sql`
    insert into product_images (product_id, image_id, display_order)
    select ${product_id}::int, id, "displayOrder"
    from jsonb_to_recordset(${JSON.stringify(links)}::jsonb) as link (id int, "displayOrder" int)
    on conflict (product_id, image_id) do update set display_order = excluded.display_order`.execute(trx)
}

export type DeletedProductRow = Selectable<CatalogueTables['deleted_products']>

export function listDeletedProducts(db: Db, limit: number): Promise<DeletedProductRow[]> {
  const products = db.selectFrom('deleted_products').selectAll().limit(limit)
  return products.orderBy('deleted_at', 'desc').orderBy('external_id').execute()
}

export function deleteDeletedProduct(trx: Trx, externalId: string): Promise<DeletedProductRow | undefined> {
  const products = trx.deleteFrom('deleted_products').where('external_id', '=', externalId)
  return products.returningAll().executeTakeFirst()
}

export async function insertProduct(trx: Trx, values: Insertable<CatalogueTables['products']>): Promise<void> {
  await trx.insertInto('products').values(values).execute()
}

/** Undefined columns keep their values; without any, version and time still advance, for a change of a part. */
export async function updateProduct(
  trx: Trx,
  id: number,
  values: Updateable<CatalogueTables['products']>,
): Promise<void> {
  await trx
    .updateTable('products')
    .set({ ...values, version: sql`version + 1`, updated_at: sql`now()` })
    .where('id', '=', id)
    .execute()
}
