import { type Insertable, type NotNull, sql, type Updateable } from 'kysely'
import type { Db, Trx } from '../../database.ts'
import { LOCKS } from '../../locks.ts'
import { type PageOf, type PageRequest, readPage, type SortOf, sorted } from '../../paging.ts'
import type { ContentTables, ImageRow, ImageUseType } from '../../tables/content.ts'
import { containsAny } from '../expressions.ts'

export function findImage(db: Db, id: number): Promise<ImageRow | undefined> {
  return db.selectFrom('images').selectAll().where('id', '=', id).executeTakeFirst()
}

export function lockImage(trx: Trx, id: number): Promise<ImageRow | undefined> {
  return trx.selectFrom('images').selectAll().where('id', '=', id).forUpdate().executeTakeFirst()
}

/** The oldest image with these bytes, once transactions that delete or replace it have ended. */
export function lockImageOf(db: Db, sha256: string): Promise<ImageRow | undefined> {
  return db
    .selectFrom('images')
    .selectAll()
    .where('sha256', '=', sha256)
    .orderBy('id')
    .limit(1)
    .forKeyShare()
    .executeTakeFirst()
}

/** Serializes transactions that store the same bytes. */
export async function lockImageBytes(trx: Trx, sha256: string): Promise<void> {
  const hash = Number.parseInt(sha256.slice(0, 8), 16) | 0
  const lock = sql`pg_advisory_xact_lock(${LOCKS.imageBytes}::int, ${hash}::int)`
  await trx.selectNoFrom(lock.as('locked')).execute()
}

export function insertImage(trx: Trx, values: Insertable<ContentTables['images']>): Promise<ImageRow> {
  return trx.insertInto('images').values(values).returningAll().executeTakeFirstOrThrow()
}

export function updateImage(trx: Trx, id: number, values: Updateable<ContentTables['images']>): Promise<ImageRow> {
  return trx.updateTable('images').set(values).where('id', '=', id).returningAll().executeTakeFirstOrThrow()
}

/** Marks the newest image of which no variants were drawn ahead, and returns it. */
export function claimUndrawn(db: Db): Promise<ImageRow | undefined> {
  return db
    .updateTable('images')
    .set({ drawn_ahead: true })
    .where('id', '=', ({ selectFrom }) =>
      selectFrom('images')
        .select('id')
        .where('drawn_ahead', '=', false)
        .orderBy('id', 'desc')
        .limit(1)
        .forUpdate()
        .skipLocked(),
    )
    .returningAll()
    .executeTakeFirst()
}

export async function findStorageKeys(db: Db, keys: string[]): Promise<string[]> {
  const rows = await db
    .selectFrom('images')
    .select('storage_key')
    .where('storage_key', '=', sql<string>`any(${keys}::text[])`)
    .execute()
  return rows.map(({ storage_key }) => storage_key)
}

/** What uses images; `place` is the order in which it is listed. */
function selectUses(db: Db) {
  const use = (place: number, type: ImageUseType) => [sql.lit(place).as('place'), sql.lit(type).as('type')] as const
  // The product always exists: by an outer join it isn't read where the name isn't.
  return db
    .selectFrom('product_images')
    .leftJoin('products', 'products.id', 'product_images.product_id')
    .select(({ ref }) => [ref('image_id').$castTo<number | null>().as('image_id'), ...use(1, 'PRODUCT')])
    .select(({ ref }) => ['product_id as id', ref('products.name').$notNull().as('name')])
    .unionAll(db.selectFrom('banner_blocks').select(['image_id', ...use(2, 'BANNER'), 'id', 'title as name']))
    .unionAll(db.selectFrom('feature_items').select(['image_id', ...use(3, 'FEATURE'), 'id', 'title as name']))
    .unionAll(db.selectFrom('brands').select(['image_id', ...use(4, 'BRAND'), 'id', 'name']))
}

export type ImageFilter = {
  /** Part of the file name, folded; empty: no search. */
  search: string
  /** Only these images. */
  ids?: number[] | undefined
  /** True: only unused images; false: only used ones. */
  unused?: boolean | undefined
}

export function listImages(
  db: Db,
  { ids, search, unused }: ImageFilter,
  sort: SortOf<'images'>,
  page: PageRequest,
): Promise<PageOf<ImageRow>> {
  let query = db.selectFrom('images').selectAll()
  if (search !== '') query = query.where(containsAny(sql`file_name`, [search]))
  if (ids !== undefined) query = query.where('id', '=', sql<number>`any(${ids}::int[])`)
  if (unused !== undefined) {
    const used = db
      .selectFrom(selectUses(db).as('use'))
      .select('image_id')
      .where('image_id', 'is not', null)
      .$narrowType<{ image_id: NotNull }>()
    query = query.where('images.id', unused ? 'not in' : 'in', used)
  }
  return readPage(sorted(query, sort), page)
}

/** Of one image, which may have thousands. */
const MAX_USES = 100

/** The records that use these images: at most 100 of each image, products first. */
export function findImageUses(db: Db, imageIds: number[]) {
  return db
    .selectFrom(sql<{ id: number }>`unnest(${imageIds}::int[])`.as<'image'>(sql`image (id)`))
    .crossJoinLateral(({ selectFrom }) =>
      selectFrom(selectUses(db).as('of_image'))
        .selectAll()
        .whereRef('image_id', '=', 'image.id')
        .orderBy('place')
        .orderBy('id')
        .limit(MAX_USES)
        .as('use'),
    )
    .select(['image.id as imageId', 'use.type', 'use.id', 'use.name'])
    .orderBy('image.id')
    .orderBy('use.place')
    .orderBy('use.id')
    .execute()
}

/** All records that use an image. */
export function listImageUses(trx: Trx, id: number) {
  return trx.selectFrom(selectUses(trx).as('use')).select(['type', 'id']).where('image_id', '=', id).execute()
}

/** Deletes an image and its uses; banners, features and brands get a new version. @returns the records that used it */
export async function deleteImage(trx: Trx, id: number): Promise<{ type: ImageUseType; id: number }[]> {
  const uses = await listImageUses(trx, id)
  for (const table of ['banner_blocks', 'feature_items', 'brands'] as const)
    await trx
      .updateTable(table)
      .set(({ eb }) => ({ image_id: null, version: eb('version', '+', 1), updated_at: sql<Date>`now()` }))
      .where('image_id', '=', id)
      .execute()
  await trx.deleteFrom('images').where('id', '=', id).execute()
  return uses
}
