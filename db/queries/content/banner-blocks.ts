import { expressionBuilder, type Insertable, sql, type Updateable } from 'kysely'
import { jsonObjectFrom } from 'kysely/helpers/postgres'
import type { Db, Tables, Trx } from '../../database.ts'
import { type PageRequest, readPage } from '../../paging.ts'
import type { ContentTables } from '../../tables/content.ts'

const image = jsonObjectFrom(
  expressionBuilder<Tables, 'banner_blocks'>()
    .selectFrom('images')
    .select(['images.id', 'images.sha256', 'images.width', 'images.height'])
    .whereRef('images.id', '=', 'banner_blocks.image_id'),
).as('image')

export type BannerBlockRow = Awaited<ReturnType<typeof listBannerBlocks>>[number]

/** By display order. */
export function listBannerBlocks(db: Db) {
  return db.selectFrom('banner_blocks').selectAll().select(image).orderBy('display_order').orderBy('id').execute()
}

/** Those that are shown at this time, by display order. */
export function listActiveBannerBlocks(db: Db, time: Date, page: PageRequest) {
  const shown = db
    .selectFrom('banner_blocks')
    .selectAll()
    .select(image)
    .where('active', '=', true)
    .where((eb) => eb.or([eb('active_from', 'is', null), eb('active_from', '<=', time)]))
    .where((eb) => eb.or([eb('active_to', 'is', null), eb('active_to', '>', time)]))
  return readPage(shown.orderBy('display_order').orderBy('id'), page)
}

export function findBannerBlock(db: Db, id: number) {
  return db.selectFrom('banner_blocks').selectAll().select(image).where('id', '=', id).executeTakeFirst()
}

export function lockBannerBlock(trx: Trx, id: number) {
  return trx.selectFrom('banner_blocks').selectAll().select(image).where('id', '=', id).forUpdate().executeTakeFirst()
}

export function insertBannerBlock(trx: Trx, values: Insertable<ContentTables['banner_blocks']>) {
  return trx.insertInto('banner_blocks').values(values).returningAll().returning(image).executeTakeFirstOrThrow()
}

/** Undefined columns keep their values. */
export function updateBannerBlock(trx: Trx, id: number, values: Updateable<ContentTables['banner_blocks']>) {
  return trx
    .updateTable('banner_blocks')
    .set({ ...values, version: sql`version + 1`, updated_at: sql`now()` })
    .where('id', '=', id)
    .returningAll()
    .returning(image)
    .executeTakeFirstOrThrow()
}

export async function deleteBannerBlock(trx: Trx, id: number): Promise<void> {
  await trx.deleteFrom('banner_blocks').where('id', '=', id).execute()
}
