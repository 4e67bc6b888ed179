import { type Insertable, type Selectable, sql, type Updateable } from 'kysely'
import type { Db, Trx } from '../../database.ts'
import type { ScrapingTables } from '../../tables/scraping.ts'

type ImageOverrides = ScrapingTables['product_image_overrides']
export type ImageOverrideRow = Selectable<ImageOverrides>

export function listImageOverrides(db: Db): Promise<ImageOverrideRow[]> {
  return db.selectFrom('product_image_overrides').selectAll().orderBy('id').execute()
}

export function lockImageOverride(trx: Trx, id: number): Promise<ImageOverrideRow | undefined> {
  return trx.selectFrom('product_image_overrides').selectAll().where('id', '=', id).forUpdate().executeTakeFirst()
}

export function insertImageOverride(trx: Trx, values: Insertable<ImageOverrides>): Promise<ImageOverrideRow> {
  return trx.insertInto('product_image_overrides').values(values).returningAll().executeTakeFirstOrThrow()
}

/** Undefined columns keep their values. */
export function updateImageOverride(
  trx: Trx,
  id: number,
  values: Updateable<ImageOverrides>,
): Promise<ImageOverrideRow> {
  return trx
    .updateTable('product_image_overrides')
    .set({ ...values, version: sql`version + 1`, updated_at: sql`now()` })
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirstOrThrow()
}

export async function deleteImageOverride(trx: Trx, id: number): Promise<void> {
  await trx.deleteFrom('product_image_overrides').where('id', '=', id).execute()
}
