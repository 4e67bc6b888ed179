import { type Insertable, type Selectable, sql, type Updateable } from 'kysely'
import type { Db, Trx } from '../../database.ts'
import type { ContentTables } from '../../tables/content.ts'

export type BannerBlockRow = Selectable<ContentTables['banner_blocks']>

/** By display order. */
export function listBannerBlocks(db: Db): Promise<BannerBlockRow[]> {
  return db.selectFrom('banner_blocks').selectAll().orderBy('display_order').orderBy('id').execute()
}

export function findBannerBlock(db: Db, id: number): Promise<BannerBlockRow | undefined> {
  return db.selectFrom('banner_blocks').selectAll().where('id', '=', id).executeTakeFirst()
}

export function lockBannerBlock(trx: Trx, id: number): Promise<BannerBlockRow | undefined> {
  return trx.selectFrom('banner_blocks').selectAll().where('id', '=', id).forUpdate().executeTakeFirst()
}

export function insertBannerBlock(
  trx: Trx,
  values: Insertable<ContentTables['banner_blocks']>,
): Promise<BannerBlockRow> {
  return trx.insertInto('banner_blocks').values(values).returningAll().executeTakeFirstOrThrow()
}

/** Undefined columns keep their values. */
export function updateBannerBlock(
  trx: Trx,
  id: number,
  values: Updateable<ContentTables['banner_blocks']>,
): Promise<BannerBlockRow> {
  return trx
    .updateTable('banner_blocks')
    .set({ ...values, version: sql`version + 1`, updated_at: sql`now()` })
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirstOrThrow()
}

export async function deleteBannerBlock(trx: Trx, id: number): Promise<void> {
  await trx.deleteFrom('banner_blocks').where('id', '=', id).execute()
}
