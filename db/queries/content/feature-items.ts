import { type Insertable, type Selectable, sql, type Updateable } from 'kysely'
import type { Db, Trx } from '../../database.ts'
import type { ContentTables } from '../../tables/content.ts'

export type FeatureItemRow = Selectable<ContentTables['feature_items']>

/** By display order. */
export function listFeatureItems(db: Db): Promise<FeatureItemRow[]> {
  return db.selectFrom('feature_items').selectAll().orderBy('display_order').orderBy('id').execute()
}

export function findFeatureItem(db: Db, id: number): Promise<FeatureItemRow | undefined> {
  return db.selectFrom('feature_items').selectAll().where('id', '=', id).executeTakeFirst()
}

export function lockFeatureItem(trx: Trx, id: number): Promise<FeatureItemRow | undefined> {
  return trx.selectFrom('feature_items').selectAll().where('id', '=', id).forUpdate().executeTakeFirst()
}

export function insertFeatureItem(
  trx: Trx,
  values: Insertable<ContentTables['feature_items']>,
): Promise<FeatureItemRow> {
  return trx.insertInto('feature_items').values(values).returningAll().executeTakeFirstOrThrow()
}

/** Undefined columns keep their values. */
export function updateFeatureItem(
  trx: Trx,
  id: number,
  values: Updateable<ContentTables['feature_items']>,
): Promise<FeatureItemRow> {
  return trx
    .updateTable('feature_items')
    .set({ ...values, version: sql`version + 1`, updated_at: sql`now()` })
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirstOrThrow()
}

export async function deleteFeatureItem(trx: Trx, id: number): Promise<void> {
  await trx.deleteFrom('feature_items').where('id', '=', id).execute()
}
