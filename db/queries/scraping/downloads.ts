import { sql } from 'kysely'
import type { Db, Trx } from '../../database.ts'
import type { ImageDownloadRow } from '../../tables/scraping.ts'

/** Of an entry `o`: not one that only says what staff linked; see backfillDownloads. */
const IS_FETCHED = sql`o.image_url not like '/%'`

/** What became of an address earlier. */
export type KnownDownload = Pick<ImageDownloadRow, 'image_url' | 'status' | 'image_id'>

export function listKnownDownloads(db: Db, productId: number): Promise<KnownDownload[]> {
  return db
    .selectFrom('gbstore_image_download_log')
    .select(['image_url', 'status', 'image_id'])
    .where('product_id', '=', productId)
    .execute()
}

/** `position` is the place on the page, from 0; null: on none, and what is known of it stays. */
export type Download = { productId: number; url: string; position: number | null }

/** Notes an attempt that gave nothing. An image that came from there earlier stays where it is. */
export async function noteFailedDownload(
  db: Db,
  { productId, url, position }: Download,
  message: string,
): Promise<void> {
  await sql`
    insert into gbstore_image_download_log as l (product_id, image_url, status, error_message, position)
    select id, ${url}, 'FAILED', ${message}, ${position} from products where id = ${productId} for key share
    on conflict (product_id, image_url) do update set
      status = 'FAILED', attempts = l.attempts + 1, error_message = excluded.error_message,
      position = coalesce(excluded.position, l.position), last_attempt_at = now()`.execute(db)
}

/**
 * Notes an image that came and shows it with the product: in the place of the one that came from the same address
 * before; else at its place on the page, behind what staff linked themselves. Links that are there stay as they are.
 * @returns whether the product shows something else now
 */
export async function linkDownload(
  trx: Trx,
  { productId, url, position }: Download,
  imageId: number,
): Promise<boolean> {
  const held = await trx
    .selectFrom('gbstore_image_download_log')
    .select('image_id')
    .where('product_id', '=', productId)
    .where('image_url', '=', url)
    .forUpdate()
    .executeTakeFirst()
  const noted = await sql<{ position: number | null }>`
    insert into gbstore_image_download_log as l (product_id, image_url, status, image_id, position)
    select p.id, ${url}, 'SUCCESS', i.id, ${position} from products p, images i
    where p.id = ${productId} and i.id = ${imageId} for key share
    on conflict (product_id, image_url) do update set
      status = 'SUCCESS', attempts = l.attempts + 1, error_message = null, image_id = excluded.image_id,
      position = coalesce(excluded.position, l.position), last_attempt_at = now()
    returning position`.execute(trx)
  const [log] = noted.rows
  if (log === undefined) return false
  const before = held?.image_id ?? imageId
  const order = before === imageId ? null : await unlinkReplaced(trx, productId, before)
  const { rows } = await sql`
    insert into product_images (product_id, image_id, display_order)
    select ${productId}, ${imageId}, coalesce(${order}::int, ${freeOrder(productId, log.position)})
    on conflict do nothing returning 1`.execute(trx)
  return rows.length > 0 || order !== null
}

/** @returns the order that the image had; null when it stays, since staff or another address show it, or was gone */
async function unlinkReplaced(trx: Trx, productId: number, imageId: number): Promise<number | null> {
  const { rows } = await sql<{ display_order: number }>`
    delete from product_images l
    where l.product_id = ${productId} and l.image_id = ${imageId} and not exists (
      select from gbstore_image_download_log o where o.product_id = ${productId} and o.image_id = ${imageId})
    returning display_order`.execute(trx)
  return rows[0]?.display_order ?? null
}

/** Behind what didn't come from the scraper; what stood on no page is the last. */
function freeOrder(productId: number, position: number | null) {
  return sql`(
    select coalesce(max(l.display_order) + 1, 0) + ${position ?? 0}::int from product_images l
    where l.product_id = ${productId} and (${position}::int is null or not exists (
      select from gbstore_image_download_log o
      where o.product_id = l.product_id and o.image_id = l.image_id and ${IS_FETCHED})))`
}

/** Takes off what was fetched from other addresses than these. @returns how many links went */
export async function unlinkOtherDownloads(trx: Trx, productId: number, urls: string[]): Promise<number> {
  const { rows } = await sql<{ unlinked: number }>`
    with kept as materialized (
      select image_id from gbstore_image_download_log
      where product_id = ${productId} and image_url = any(${urls}::text[]) and image_id is not null
    ), let_go as (
      update gbstore_image_download_log l set image_id = null
      from gbstore_image_download_log o
      where o.id = l.id and l.product_id = ${productId} and l.image_id is not null
        and not l.image_url = any(${urls}::text[]) and ${IS_FETCHED}
      returning o.image_id
    ), unlinked as (
      delete from product_images p
      where p.product_id = ${productId} and p.image_id in (select image_id from let_go)
        and p.image_id not in (select image_id from kept)
      returning 1
    )
    select count(*) as unlinked from unlinked`.execute(trx)
  return rows[0]?.unlinked ?? 0
}
