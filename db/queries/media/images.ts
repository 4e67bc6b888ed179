import { sql, type Updateable } from 'kysely'
import type { Db, Trx } from '../../database.ts'
import { LOCKS } from '../../locks.ts'
import { type PageOf, type PageRequest, readPage, type SortOf, sorted } from '../../paging.ts'
import type { ContentTables, ImageRow, ImageUseType } from '../../tables/content.ts'
import { containsAny, folded } from '../expressions.ts'

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
  await sql`select pg_advisory_xact_lock(${LOCKS.imageBytes}::int, ${hash}::int)`.execute(trx)
}

export function updateImage(trx: Trx, id: number, values: Updateable<ContentTables['images']>): Promise<ImageRow> {
  return trx.updateTable('images').set(values).where('id', '=', id).returningAll().executeTakeFirstOrThrow()
}

/** Marks the newest image of which no variants were drawn ahead, and returns it. */
export async function claimUndrawn(db: Db): Promise<ImageRow | undefined> {
  const { rows } = await sql<ImageRow>`
    update images set drawn_ahead = true
    where id = (select id from images where not drawn_ahead order by id desc limit 1 for update skip locked)
    returning *`.execute(db)
  return rows[0]
}

export async function findStorageKeys(db: Db, keys: string[]): Promise<string[]> {
  const rows = await db
    .selectFrom('images')
    .select('storage_key')
    .where('storage_key', '=', sql<string>`any(${keys}::text[])`)
    .execute()
  return rows.map(({ storage_key }) => storage_key)
}

/** The product always exists: by an outer join it isn't read where the name isn't. */
const USES = sql`(
  select image_id, 1 as place, 'PRODUCT' as type, product_id as id, p.name
  from product_images left join products p on p.id = product_id
  union all select image_id, 2, 'BANNER', id, title from banner_blocks
  union all select image_id, 3, 'FEATURE', id, title from feature_items
  union all select image_id, 4, 'BRAND', id, name from brands
)`

export type ImageFilter = {
  /** Part of the file name, folded; empty: no search. */
  search: string
  /** True: only unused images; false: only used ones. */
  unused?: boolean | undefined
}

export function listImages(
  db: Db,
  { search, unused }: ImageFilter,
  sort: SortOf<'images'>,
  page: PageRequest,
): Promise<PageOf<ImageRow>> {
  let query = db.selectFrom('images').selectAll()
  if (search !== '') query = query.where(containsAny(folded(sql`file_name`), [search]))
  if (unused !== undefined) {
    const used = sql<boolean>`(images.id in (select image_id from ${USES} use where image_id is not null))`
    query = query.where(used, '=', !unused)
  }
  return readPage(sorted(query, sort), page)
}

export type ImageUseRow = { imageId: number; type: ImageUseType; id: number; name: string }

/** Of one image, which may have thousands. */
const MAX_USES = 100

/** The records that use these images: at most 100 of each image, products first. */
export async function findImageUses(db: Db, imageIds: number[]): Promise<ImageUseRow[]> {
  const { rows } = await sql<ImageUseRow>`
    select i.id as "imageId", u.type, u.id, u.name
    from unnest(${imageIds}::int[]) as i (id)
    cross join lateral (select * from ${USES} use where image_id = i.id order by place, id limit ${MAX_USES}) u
    order by i.id, u.place, u.id`.execute(db)
  return rows
}

export async function listProductsWithImage(trx: Trx, id: number): Promise<number[]> {
  const rows = await trx.selectFrom('product_images').select('product_id').where('image_id', '=', id).execute()
  return rows.map((row) => row.product_id)
}

/** Deletes an image and its uses; banners and features get a new version. @returns the records that used it */
export async function deleteImage(trx: Trx, id: number): Promise<{ type: ImageUseType; id: number }[]> {
  const { rows } = await sql<{ type: ImageUseType; id: number }>`
    select type, id from ${USES} use where image_id = ${id}`.execute(trx)
  for (const table of ['banner_blocks', 'feature_items'] as const)
    await sql`
      update ${sql.table(table)} set image_id = null, version = version + 1, updated_at = now()
      where image_id = ${id}`.execute(trx)
  await trx.deleteFrom('images').where('id', '=', id).execute()
  return rows
}
