import * as downloads from '../../../db/queries/scraping/downloads.ts'
import { enqueueDownloads } from '../../../db/queries/scraping/queue.ts'
import { IMAGE_DOWNLOAD_SORT } from '../../../db/tables/scraping.ts'
import type { Deps } from '../../deps.ts'
import { conflict, notFound } from '../../errors.ts'
import { readSort } from '../../rules/lists.ts'
import { write } from '../../runtime/write.ts'
import { type Page, toPage } from '../../schemas/lists.ts'
import type {
  Backfilled,
  DownloadStats,
  Enqueued,
  ImageDownload,
  ImageDownloadQuery,
} from '../../schemas/scraping.ts'

/** Specification, "Image scraping". Last attempt first by default. */
export async function listImageDownloads(
  { db }: Deps,
  query: ImageDownloadQuery,
): Promise<Page<ImageDownload>> {
  const filter = { status: query.status, search: query.search?.trim() || undefined }
  const sort = readSort(query.sort, IMAGE_DOWNLOAD_SORT, 'lastAttemptAt,desc')
  return toPage(await downloads.listDownloads(db, filter, sort, query), query, toDownload)
}

/** In page order. @throws AppError 404 */
export async function listProductDownloads({ db }: Deps, productId: number): Promise<ImageDownload[]> {
  const rows = await downloads.listDownloadsOfProduct(db, productId)
  if (rows.length === 0 && !(await downloads.findImageSources(db, productId))) throw notFound('product')
  return rows.map(toDownload)
}

export async function countImageDownloads({ db }: Deps): Promise<DownloadStats> {
  return toDownloadStats(await downloads.countDownloads(db, null))
}

/**
 * Enqueues one image again, even after success.
 * @throws AppError 404; 409 SCRAPE_ACTIVE while its product's task is in progress; 409 NOT_DOWNLOADED for uploads
 */
export function retryImageDownload(deps: Deps, id: number): Promise<ImageDownload> {
  return write(deps, async (tx) => {
    const entry = await downloads.findDownload(tx.db, id)
    if (entry === undefined) throw notFound('image log entry')
    if (entry.image_url.startsWith('/')) {
      throw conflict('NOT_DOWNLOADED', 'The image was uploaded, not downloaded')
    }
    if ((await enqueueDownloads(tx.db, id)) === 0) {
      throw conflict('SCRAPE_ACTIVE', "The product's images are being fetched")
    }
    return toDownload(entry)
  })
}

export async function retryFailedDownloads(deps: Deps): Promise<Enqueued> {
  return { enqueued: await write(deps, (tx) => enqueueDownloads(tx.db, null)) }
}

/** Adds entries for product images without one. */
export async function backfillImageLog(deps: Deps): Promise<Backfilled> {
  return { added: await write(deps, (tx) => downloads.backfillDownloads(tx.db)) }
}

export function toDownloadStats(
  counted: Awaited<ReturnType<typeof downloads.countDownloads>>,
): DownloadStats {
  return { SUCCESS: 0, FAILED: 0, ...Object.fromEntries(counted.map(({ status, count }) => [status, count])) }
}

function toDownload(row: downloads.NamedDownload): ImageDownload {
  return {
    id: row.id,
    productId: row.product_id,
    productName: row.product_name,
    imageUrl: row.image_url,
    status: row.status,
    attempts: row.attempts,
    errorMessage: row.error_message,
    imageId: row.image_id,
    firstSeenAt: row.first_seen_at.toISOString(),
    lastAttemptAt: row.last_attempt_at.toISOString(),
  }
}
