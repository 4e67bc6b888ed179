import { sql } from 'kysely'
import type { Db, Trx } from '../../database.ts'
import { type PageOf, type PageRequest, readPage } from '../../paging.ts'
import type { ImageDownloadRow, OVERRIDE_MODES } from '../../tables/scraping.ts'
import { type Filter, filtered, PRODUCT_NAME } from './queue.ts'

export type NamedDownload = ImageDownloadRow & { product_name: string }

export function listDownloads(db: Db, query: Filter & PageRequest): Promise<PageOf<NamedDownload>> {
  const downloads = filtered(named(db), query, 'image_url')
  return readPage(downloads.orderBy('last_attempt_at', 'desc').orderBy('id', 'desc'), query)
}

/** In page order; images that were on no page come last. */
export function listDownloadsOfProduct(db: Db, productId: number): Promise<NamedDownload[]> {
  return named(db).where('product_id', '=', productId).orderBy('position').orderBy('id').execute()
}

export function findDownload(db: Db, id: number): Promise<NamedDownload | undefined> {
  return named(db).where('id', '=', id).executeTakeFirst()
}

/** Adds an entry for each product image without one. @returns the number of entries */
export async function backfillDownloads(trx: Trx): Promise<number> {
  const { numAffectedRows } = await sql`
    insert into gbstore_image_download_log
      (product_id, image_url, status, attempts, image_id, first_seen_at, last_attempt_at)
    select l.product_id, '/api/v1/images/' || l.image_id, 'SUCCESS', 0, l.image_id, i.created_at, i.created_at
    from product_images l join images i on i.id = l.image_id join products p on p.id = l.product_id
    where not exists (
      select from gbstore_image_download_log o where o.product_id = l.product_id and o.image_id = l.image_id)
    for key share of p, i
    on conflict do nothing`.execute(trx)
  return Number(numAffectedRows)
}

function named(db: Db) {
  return db.selectFrom('gbstore_image_download_log').selectAll().select(PRODUCT_NAME)
}

/** Excludes the entries `o` that backfillDownloads added for images of the library. */
const IS_FETCHED = sql`o.image_url not like '/%'`

/** URLs whose image was downloaded for the product and still exists. */
export async function listDownloadedUrls(db: Db, productId: number): Promise<string[]> {
  const { rows } = await sql<{ image_url: string }>`
    select image_url from gbstore_image_download_log
    where product_id = ${productId} and status = 'SUCCESS' and image_id is not null`.execute(db)
  return rows.map((row) => row.image_url)
}

/** `position`: the image's place on the page, from 0; null leaves the recorded one unchanged. */
export type Download = { productId: number; url: string; position: number | null }

type Result = { imageId: number; message: null } | { imageId: null; message: string }

/** `image_before`: what the URL gave earlier. */
type Recorded = { position: number | null; image_before: number | null }

/**
 * Records an attempt. After a failure the image of an earlier download stays linked.
 * @returns undefined, having recorded nothing, when the product or the image has been deleted
 */
export async function recordDownload(
  trx: Trx,
  { productId, url, position }: Download,
  { imageId, message }: Result,
): Promise<Recorded | undefined> {
  // A subquery sees the row as it was before the statement.
  const { rows } = await sql<Recorded>`
    insert into gbstore_image_download_log as l
      (product_id, image_url, status, error_message, image_id, position)
    select p.id, ${url}, ${message === null ? 'SUCCESS' : 'FAILED'}, ${message}, ${imageId}::int, ${position}
    from products p ${imageId === null ? sql`` : sql`join images i on i.id = ${imageId}`}
    where p.id = ${productId} for key share
    on conflict (product_id, image_url) do update set
      status = excluded.status, attempts = l.attempts + 1, error_message = excluded.error_message,
      image_id = coalesce(excluded.image_id, l.image_id), position = coalesce(excluded.position, l.position),
      last_attempt_at = now()
    returning position, (
      select o.image_id from gbstore_image_download_log o
      where o.product_id = ${productId} and o.image_url = ${url}) as image_before`.execute(trx)
  return rows[0]
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
  // An image that another entry of the log still has stays.
  const { rows } = await sql`
    with replaced as (
      delete from product_images l
      where l.product_id = ${productId} and l.image_id = ${recorded.image_before}::int and not exists (
        select from gbstore_image_download_log o where o.product_id = l.product_id and o.image_id = l.image_id)
      returning display_order
    ), linked as (
      insert into product_images (product_id, image_id, display_order)
      select ${productId}, ${imageId},
        coalesce((select display_order from replaced), ${nextOrder(productId, recorded.position)})
      on conflict do nothing returning 1
    )
    select from replaced union all select from linked`.execute(trx)
  return rows.length > 0
}

/** Scraped images follow the images linked by staff; those found on no page come last. */
function nextOrder(productId: number, position: number | null) {
  return sql`(
    select coalesce(max(l.display_order) + 1, 0) + ${position ?? 0}::int from product_images l
    where l.product_id = ${productId} and (${position}::int is null or not exists (
      select from gbstore_image_download_log o
      where o.product_id = l.product_id and o.image_id = l.image_id and ${IS_FETCHED})))`
}

/** Unlinks images downloaded from other URLs. @returns the number of links removed */
export async function unlinkDownloadsExcept(trx: Trx, productId: number, urls: string[]): Promise<number> {
  const isOther = sql`o.product_id = ${productId} and not o.image_url = any(${urls}::text[]) and ${IS_FETCHED}`
  const { numAffectedRows } = await sql`
    delete from product_images l
    where l.product_id = ${productId}
      and l.image_id in (select o.image_id from gbstore_image_download_log o where ${isOther})
      and not exists (
        select from gbstore_image_download_log r
        where r.product_id = ${productId} and r.image_id = l.image_id and r.image_url = any(${urls}::text[]))
    `.execute(trx)
  await sql`update gbstore_image_download_log o set image_id = null where ${isOther}`.execute(trx)
  return Number(numAffectedRows)
}

/** Where a product's images can be found. */
export type ImageSources = {
  name: string
  /** The supplier's, else the feed's. */
  page_url: string | null
  feed_pictures: string[]
  override_mode: (typeof OVERRIDE_MODES)[number] | null
  override_urls: string[]
}

export async function findImageSources(db: Db, productId: number): Promise<ImageSources | undefined> {
  const { rows } = await sql<ImageSources>`
    select p.name, coalesce(p.page_url, f.page_url) as page_url, coalesce(f.pictures, '{}') as feed_pictures,
      o.mode as override_mode, coalesce(o.urls, '{}') as override_urls
    from products p
    left join product_feed_data f on f.product_id = p.id
    left join product_image_overrides o on o.product_id = p.id
    where p.id = ${productId}`.execute(db)
  return rows[0]
}
