import { type NotNull, sql } from 'kysely'
import type { Db, Trx } from '../../database.ts'
import { type PageRequest, readPage } from '../../paging.ts'
import { type Filter, filtered, PRODUCT_NAME } from './queue.ts'

export type NamedDownload = Awaited<ReturnType<typeof listDownloadsOfProduct>>[number]

export function listDownloads(db: Db, query: Filter & PageRequest) {
  const downloads = filtered(named(db), query, 'image_url')
  return readPage(downloads.orderBy('last_attempt_at', 'desc').orderBy('id', 'desc'), query)
}

/** In page order; images that were on no page come last. */
export function listDownloadsOfProduct(db: Db, productId: number) {
  return named(db).where('product_id', '=', productId).orderBy('position').orderBy('id').execute()
}

export function findDownload(db: Db, id: number): Promise<NamedDownload | undefined> {
  return named(db).where('id', '=', id).executeTakeFirst()
}

/** Counts the downloads of a product, or all. */
export function countDownloads(db: Db, productId: number | null = null) {
  const all = db.selectFrom('gbstore_image_download_log')
  return (productId === null ? all : all.where('product_id', '=', productId))
    .select(({ fn }) => [
      fn.countAll<number>().filterWhere('status', '=', 'SUCCESS').as('SUCCESS'),
      fn.countAll<number>().filterWhere('status', '=', 'FAILED').as('FAILED'),
    ])
    .executeTakeFirstOrThrow()
}

/** Adds an entry for each product image without one. @returns the number of entries */
export async function backfillDownloads(trx: Trx): Promise<number> {
  const unlogged = trx
    .selectFrom('product_images as l')
    .innerJoin('images as i', 'i.id', 'l.image_id')
    .innerJoin('products as p', 'p.id', 'l.product_id')
    .select(({ ref, val, lit }) => [
      'l.product_id',
      sql<string>`'/api/v1/images/' || ${ref('l.image_id')}`.as('image_url'),
      val('SUCCESS').as('status'),
      lit(0).as('attempts'),
      'l.image_id',
      'i.created_at as first_seen_at',
      'i.created_at as last_attempt_at',
    ])
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('gbstore_image_download_log as o')
            .select('o.id')
            .whereRef('o.product_id', '=', 'l.product_id')
            .whereRef('o.image_id', '=', 'l.image_id'),
        ),
      ),
    )
    .forKeyShare(['p', 'i'])
  const { numInsertedOrUpdatedRows } = await trx
    .insertInto('gbstore_image_download_log')
    .columns(['product_id', 'image_url', 'status', 'attempts', 'image_id', 'first_seen_at', 'last_attempt_at'])
    .expression(unlogged)
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirstOrThrow()
  return Number(numInsertedOrUpdatedRows)
}

function named(db: Db) {
  return db.selectFrom('gbstore_image_download_log').selectAll().select(PRODUCT_NAME)
}

/** Matches the URLs that backfillDownloads gave to images of the library. */
const LIBRARY_URLS = '/%'

/** URLs whose image was downloaded for the product and still exists. */
export async function listDownloadedUrls(db: Db, productId: number): Promise<string[]> {
  const rows = await db
    .selectFrom('gbstore_image_download_log')
    .select('image_url')
    .where('product_id', '=', productId)
    .where('status', '=', 'SUCCESS')
    .where('image_id', 'is not', null)
    .execute()
  return rows.map((row) => row.image_url)
}

/** `position`: the image's place on the page, from 0; null leaves the recorded one unchanged. */
export type Download = { productId: number; url: string; position: number | null }

type Result = { imageId: number; message: null } | { imageId: null; message: string }

/**
 * Records an attempt. After a failure the image of an earlier download stays linked.
 * @returns the image's place, and the image that the URL gave before; undefined, having recorded nothing, when the product
 *   or the image has been deleted
 */
export function recordDownload(trx: Trx, { productId, url, position }: Download, { imageId, message }: Result) {
  const product = trx.selectFrom('products as p').where('p.id', '=', productId).forKeyShare()
  const present = imageId === null ? product : product.innerJoin('images as i', (join) => join.on('i.id', '=', imageId))
  return trx
    .insertInto('gbstore_image_download_log')
    .columns(['product_id', 'image_url', 'status', 'error_message', 'image_id', 'position'])
    .expression(
      present.select(({ val }) => [
        'p.id',
        val(url).as('image_url'),
        val(message === null ? 'SUCCESS' : 'FAILED').as('status'),
        val(message).as('error_message'),
        val(imageId).as('image_id'),
        val(position).as('position'),
      ]),
    )
    .onConflict((conflict) =>
      conflict.columns(['product_id', 'image_url']).doUpdateSet(({ eb, ref, fn }) => ({
        status: ref('excluded.status'),
        attempts: eb('gbstore_image_download_log.attempts', '+', 1),
        error_message: ref('excluded.error_message'),
        image_id: fn.coalesce('excluded.image_id', 'gbstore_image_download_log.image_id'),
        position: fn.coalesce('excluded.position', 'gbstore_image_download_log.position'),
        last_attempt_at: sql`now()`,
      })),
    )
    .returning(({ selectFrom }) => [
      'position',
      // A subquery sees the row as it was before the statement.
      selectFrom('gbstore_image_download_log as o')
        .select('o.image_id')
        .where('o.product_id', '=', productId)
        .where('o.image_url', '=', url)
        .as('image_before'),
    ])
    .executeTakeFirst()
}

/**
 * Records a download and links its image to the product: in place of the image that the URL gave before, or else in
 * page order, after the images linked by staff. Existing links keep their order.
 * @returns whether the product's images changed
 */
export async function linkDownloadedImage(trx: Trx, download: Download, imageId: number): Promise<boolean> {
  const { productId } = download
  const recorded = await recordDownload(trx, download, { imageId, message: null })
  if (recorded === undefined) return false
  const changed = await trx
    // An image that another entry of the log still has stays.
    .with('replaced', (db) =>
      db
        .deleteFrom('product_images as l')
        .where('l.product_id', '=', productId)
        .where('l.image_id', '=', recorded.image_before)
        .where(({ not, exists, selectFrom }) =>
          not(
            exists(
              selectFrom('gbstore_image_download_log as o')
                .select('o.id')
                .whereRef('o.product_id', '=', 'l.product_id')
                .whereRef('o.image_id', '=', 'l.image_id'),
            ),
          ),
        )
        .returning('l.display_order'),
    )
    .with('linked', (db) =>
      db
        .insertInto('product_images')
        .values(({ selectFrom, fn }) => ({
          product_id: productId,
          image_id: imageId,
          display_order: fn
            .coalesce(selectFrom('replaced').select('display_order'), nextOrder(trx, productId, recorded.position))
            .$notNull(),
        }))
        .onConflict((conflict) => conflict.doNothing())
        .returning('display_order'),
    )
    .selectFrom('replaced')
    .select('display_order')
    .unionAll((eb) => eb.selectFrom('linked').select('display_order'))
    .execute()
  return changed.length > 0
}

/** Scraped images follow the images linked by staff; those found on no page come last. */
function nextOrder(trx: Trx, productId: number, position: number | null) {
  const linked = trx.selectFrom('product_images as l').where('l.product_id', '=', productId)
  const preceding =
    position === null
      ? linked
      : linked.where(({ not, exists, selectFrom }) =>
          not(
            exists(
              selectFrom('gbstore_image_download_log as o')
                .select('o.id')
                .whereRef('o.product_id', '=', 'l.product_id')
                .whereRef('o.image_id', '=', 'l.image_id')
                .where('o.image_url', 'not like', LIBRARY_URLS),
            ),
          ),
        )
  return preceding.select(({ eb, fn, lit }) =>
    eb(fn.coalesce(eb(fn.max('l.display_order'), '+', 1), lit(0)), '+', position ?? 0).as('next'),
  )
}

/** Unlinks images downloaded from other URLs. @returns the number of links removed */
export async function unlinkDownloadsExcept(trx: Trx, productId: number, urls: string[]): Promise<number> {
  const others = trx
    .selectFrom('gbstore_image_download_log as o')
    .where('o.product_id', '=', productId)
    .where('o.image_url', '<>', sql<string>`all(${urls}::text[])`)
    .where('o.image_url', 'not like', LIBRARY_URLS)
  const { numDeletedRows } = await trx
    .deleteFrom('product_images as l')
    .where('l.product_id', '=', productId)
    .where('l.image_id', 'in', others.select('o.image_id').$narrowType<{ image_id: NotNull }>())
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('gbstore_image_download_log as r')
            .select('r.id')
            .where('r.product_id', '=', productId)
            .whereRef('r.image_id', '=', 'l.image_id')
            .where('r.image_url', '=', sql<string>`any(${urls}::text[])`),
        ),
      ),
    )
    .executeTakeFirstOrThrow()
  await trx
    .updateTable('gbstore_image_download_log')
    .set({ image_id: null })
    .where('id', 'in', others.select('o.id'))
    .execute()
  return Number(numDeletedRows)
}

/** Where a product's images can be found. `page_url`: the supplier's, else the feed's. */
export type ImageSources = NonNullable<Awaited<ReturnType<typeof findImageSources>>>

export function findImageSources(db: Db, productId: number) {
  return db
    .selectFrom('products as p')
    .leftJoin('product_feed_data as f', 'f.product_id', 'p.id')
    .leftJoin('product_image_overrides as o', 'o.product_id', 'p.id')
    .select(({ fn }) => [
      'p.name',
      fn.coalesce('p.page_url', 'f.page_url').as('page_url'),
      fn.coalesce('f.pictures', sql<string[]>`'{}'`).as('feed_pictures'),
      'o.mode as override_mode',
      fn.coalesce('o.urls', sql<string[]>`'{}'`).as('override_urls'),
    ])
    .where('p.id', '=', productId)
    .executeTakeFirst()
}
