import { type ExpressionBuilder, type Insertable, sql, type Updateable } from 'kysely'
import type { ImageLink } from '../../../src/rules/catalogue/product-fields.ts'
import type { Db, Tables, Trx } from '../../database.ts'
import type { CatalogueTables } from '../../tables/catalogue.ts'
import { lockQuantities } from '../stock/reservations.ts'

/** Locks the products that exist, by id, until the transaction ends. */
export async function lockProducts(trx: Trx, ids: number[]): Promise<void> {
  await trx
    .selectFrom('products')
    .where('id', '=', sql<number>`any(${ids}::int[])`)
    .orderBy('id')
    .forNoKeyUpdate()
    .execute()
}

export async function recordStock(trx: Trx, productId: number, quantity: number): Promise<void> {
  await trx.insertInto('stock').values({ product_id: productId, quantity }).execute()
}

/** Keeps referenced records from being deleted until the transaction ends. @returns the ids of those that exist */
export async function lockReferences(
  trx: Trx,
  table: 'categories' | 'brands' | 'images' | 'tags' | 'products',
  ids: number[],
) {
  const rows = await trx
    .selectFrom(table)
    .select('id')
    .where('id', '=', sql<number>`any(${ids}::int[])`)
    .orderBy('id')
    .forKeyShare()
    .execute()
  return rows.map(({ id }) => id)
}

/**
 * Locks the rows that refer to a product, in the order in which orders are placed and changed: orders by id, the
 * product's quantity, then lines. Requires the lock of product rows; lock the product itself afterwards.
 */
export async function lockForDeletion(trx: Trx, id: number): Promise<void> {
  const lines = trx.selectFrom('order_items').where('product_id', '=', id)
  await trx.selectFrom('orders').where('id', 'in', lines.select('order_id')).orderBy('id').forNoKeyUpdate().execute()
  await lockQuantities(trx, [id])
  await lines.orderBy('id').forUpdate().execute()
}

/** Deletes a product for good; order lines and reviews remain without it. @returns the ids of its reviews */
export async function deleteProduct(trx: Trx, id: number) {
  const reviews = await trx
    .updateTable('reviews')
    .set({ product_id: null })
    .where('product_id', '=', id)
    .returning('id')
    .execute()
  await trx
    .with('deleted', (cte) => cte.deleteFrom('products').where('id', '=', id).returning(['external_id', 'name']))
    .insertInto('deleted_products')
    .columns(['external_id', 'name'])
    .expression((eb) => eb.selectFrom('deleted').select(['external_id', 'name']).where('external_id', 'is not', null))
    .onConflict((conflict) =>
      conflict.column('external_id').doUpdateSet(({ ref }) => ({
        deleted_at: ref('excluded.deleted_at'),
        name: ref('excluded.name'),
      })),
    )
    .execute()
  return reviews.map((review) => review.id)
}

/** Gives a new product a supplier's id: reservations of a deleted product with this id become its own. */
export async function attachExternalId(trx: Trx, id: number, externalId: string): Promise<void> {
  await trx.deleteFrom('deleted_products').where('external_id', '=', externalId).execute()
  const isDeletedProducts = (eb: ExpressionBuilder<Tables, 'order_items'>) =>
    eb.and({ product_id: null, holding: true, product_external_id: externalId })
  await trx
    .selectFrom('orders')
    .where('id', 'in', trx.selectFrom('order_items').select('order_id').where(isDeletedProducts))
    .orderBy('id')
    .forNoKeyUpdate()
    .execute()
  await trx.updateTable('order_items').set({ product_id: id }).where(isDeletedProducts).execute()
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
  const rows = links.map(({ id, displayOrder }) => ({ product_id, image_id: id, display_order: displayOrder }))
  await trx.deleteFrom('product_images').where('product_id', '=', product_id).execute()
  if (rows.length === 0) return
  await trx
    .insertInto('product_images')
    .values(rows)
    // Scraping may just have linked the same image.
    .onConflict((conflict) =>
      conflict
        .columns(['product_id', 'image_id'])
        .doUpdateSet(({ ref }) => ({ display_order: ref('excluded.display_order') })),
    )
    .execute()
}

export type DeletedProductRow = Awaited<ReturnType<typeof listDeletedProducts>>[number]

export function listDeletedProducts(db: Db, limit: number) {
  const products = db.selectFrom('deleted_products').selectAll().limit(limit)
  return products.orderBy('deleted_at', 'desc').orderBy('external_id').execute()
}

export function deleteDeletedProduct(trx: Trx, externalId: string) {
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
