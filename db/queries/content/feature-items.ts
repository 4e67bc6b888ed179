import { expressionBuilder, type Insertable, sql, type Updateable } from 'kysely'
import { jsonObjectFrom } from 'kysely/helpers/postgres'
import type { Db, Tables, Trx } from '../../database.ts'
import { type PageRequest, readPage } from '../../paging.ts'
import type { ContentTables } from '../../tables/content.ts'

const image = jsonObjectFrom(
  expressionBuilder<Tables, 'feature_items'>()
    .selectFrom('images')
    .select(['images.id', 'images.sha256'])
    .whereRef('images.id', '=', 'feature_items.image_id'),
).as('image')

export type FeatureItemRow = Awaited<ReturnType<typeof listFeatureItems>>[number]

/** By display order. */
export function listFeatureItems(db: Db) {
  return db.selectFrom('feature_items').selectAll().select(image).orderBy('display_order').orderBy('id').execute()
}

/** Those that are shown, by display order. */
export function listActiveFeatureItems(db: Db, page: PageRequest) {
  const shown = db.selectFrom('feature_items').selectAll().select(image).where('active', '=', true)
  return readPage(shown.orderBy('display_order').orderBy('id'), page)
}

export function findFeatureItem(db: Db, id: number) {
  return db.selectFrom('feature_items').selectAll().select(image).where('id', '=', id).executeTakeFirst()
}

export function lockFeatureItem(trx: Trx, id: number) {
  return trx.selectFrom('feature_items').selectAll().select(image).where('id', '=', id).forUpdate().executeTakeFirst()
}

export function insertFeatureItem(trx: Trx, values: Insertable<ContentTables['feature_items']>) {
  return trx.insertInto('feature_items').values(values).returningAll().returning(image).executeTakeFirstOrThrow()
}

/** Undefined columns keep their values. */
export function updateFeatureItem(trx: Trx, id: number, values: Updateable<ContentTables['feature_items']>) {
  return trx
    .updateTable('feature_items')
    .set({ ...values, version: sql`version + 1`, updated_at: sql`now()` })
    .where('id', '=', id)
    .returningAll()
    .returning(image)
    .executeTakeFirstOrThrow()
}

export async function deleteFeatureItem(trx: Trx, id: number): Promise<void> {
  await trx.deleteFrom('feature_items').where('id', '=', id).execute()
}
