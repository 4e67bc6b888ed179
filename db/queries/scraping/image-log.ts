import { sql } from 'kysely'
import type { Sort } from '../../../src/rules/lists.ts'
import type { Db, Trx } from '../../database.ts'
import { type PageOf, type PageRequest, readPage, sorted } from '../../paging.ts'
import type { DOWNLOAD_STATUSES, ImageDownloadRow } from '../../tables/scraping.ts'
import { matches, nameOfProduct } from './queue.ts'

type Status = (typeof DOWNLOAD_STATUSES)[number]
export type NamedDownload = ImageDownloadRow & { product_name: string }

/** `search`: part of the product's name or the image's address, in any case. */
export type DownloadFilter = { status: Status | undefined; search: string | undefined }

export function listDownloads(
  db: Db,
  { status, search }: DownloadFilter,
  sort: Sort<keyof ImageDownloadRow>,
  page: PageRequest,
): Promise<PageOf<NamedDownload>> {
  let query = named(db)
  if (status !== undefined) query = query.where('status', '=', status)
  if (search !== undefined) query = query.where(matches(search, 'image_url'))
  return readPage(sorted(query, sort), page)
}

/** In page order; what stood on no page comes last. */
export function listDownloadsOfProduct(db: Db, productId: number): Promise<NamedDownload[]> {
  return named(db).where('product_id', '=', productId).orderBy('position').orderBy('id').execute()
}

export function findDownload(db: Db, id: number): Promise<NamedDownload | undefined> {
  return named(db).where('id', '=', id).executeTakeFirst()
}

/** Statuses without any entry are absent. */
export async function countDownloads(
  db: Db,
  productId: number | null,
): Promise<{ status: Status; count: number }[]> {
  const query = db
    .selectFrom('gbstore_image_download_log')
    .select(({ fn }) => ['status', fn.countAll<number>().as('count')])
    .groupBy('status')
  return (productId === null ? query : query.where('product_id', '=', productId)).execute()
}

/** Enters what products show and no entry knows, under the library's own address. @returns how many */
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
  return Number(numAffectedRows ?? 0)
}

function named(db: Db) {
  return db
    .selectFrom('gbstore_image_download_log')
    .selectAll()
    .select(nameOfProduct('gbstore_image_download_log'))
}
