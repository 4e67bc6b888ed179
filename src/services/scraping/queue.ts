import { violates } from '../../../db/errors.ts'
import { lockReferences } from '../../../db/queries/catalogue/product-edits.ts'
import * as downloads from '../../../db/queries/scraping/downloads.ts'
import * as queue from '../../../db/queries/scraping/queue.ts'
import type { Deps } from '../../deps.ts'
import { conflict, found, invalid, missingRecord } from '../../errors.ts'
import type { Actor } from '../../rules/accounts/roles.ts'
import { EVERY_ACTIVE } from '../../rules/catalogue/product-filter.ts'
import { readSearch } from '../../rules/catalogue/search.ts'
import { type UnitOfWork, write } from '../../runtime/write.ts'
import { type Page, toPage } from '../../schemas/lists.ts'
import type {
  ImageDownload,
  ImageDownloadQuery,
  ManualImport,
  ProductScrape,
  ScrapeRequest,
  ScrapeTask,
  ScrapeTaskQuery,
} from '../../schemas/scraping.ts'

const SCRAPE_ACTIVE = ['SCRAPE_ACTIVE', "The product's images are being fetched; please retry later"] as const

/** Lists the tasks, the newest first. */
export async function listScrapeTasks(deps: Deps, query: ScrapeTaskQuery): Promise<Page<ScrapeTask>> {
  const productIds = await searchedProducts(deps, query)
  return toPage(await queue.listTasks(deps.db, { ...query, productIds }), query, toTask)
}

async function searchedProducts({ productSearch }: Deps, { search = '' }: { search?: string | undefined }) {
  const tokens = readSearch(search)
  return tokens.length === 0 ? [] : productSearch.ids({ ...EVERY_ACTIVE, active: null, tokens })
}

export function countScrapeTasks({ db }: Deps) {
  return queue.countTasks(db)
}

/** @throws AppError 404 */
export async function getProductScrape({ db }: Deps, productId: number): Promise<ProductScrape> {
  const sources = found(await downloads.findImageSources(db, productId), 'product')
  const task = await queue.findTaskOfProduct(db, productId)
  return {
    productId,
    productName: sources.name,
    pageUrl: sources.page_url,
    task: task ? toTask(task) : null,
    images: await downloads.countDownloads(db, productId),
  }
}

/**
 * Enqueues a product. A pending task becomes due at once and takes over the page URL.
 * @throws AppError 404; 409 SCRAPE_ACTIVE when a page URL is given while the product's task is in progress
 */
export function enqueueProduct(deps: Deps, productId: number, request: ScrapeRequest): Promise<ScrapeTask> {
  const pageUrl = request?.pageUrl?.trim() || null
  return write(deps, async (tx) => {
    found((await lockReferences(tx.db, 'products', [productId]))[0], 'product')
    const task = { productId, readsPage: true, pageUrl, imageUrls: [] }
    const enqueued = await queue.enqueueProduct(tx.db, task)
    if (!enqueued && pageUrl !== null) throw conflict(...SCRAPE_ACTIVE)
    return readTask(tx, productId)
  })
}

/**
 * Enqueues images by URL. They are downloaded even if they were before, and appended to the product's images.
 * @throws AppError 400; 409 SCRAPE_ACTIVE while the product's task is in progress
 */
export function importImages(deps: Deps, actor: Actor, { productId, urls }: ManualImport): Promise<ScrapeTask> {
  const imageUrls = [...new Set(urls.map((url) => url.trim()))]
  return write(deps, async (tx) => {
    if ((await lockReferences(tx.db, 'products', [productId])).length === 0) throw invalid(missingRecord('productId'))
    const task = { productId, readsPage: false, pageUrl: null, imageUrls }
    if (!(await queue.enqueueProduct(tx.db, task))) throw conflict(...SCRAPE_ACTIVE)
    const imported = { before: { importedImages: [] }, after: { importedImages: imageUrls } }
    tx.audit({ actor, entity: 'PRODUCT', entityId: productId, ...imported })
    return readTask(tx, productId)
  })
}

/** @throws AppError 404; 409 SCRAPE_ACTIVE when it is in progress, or another task of its product is active */
export function retryScrapeTask(deps: Deps, id: number): Promise<ScrapeTask> {
  return write(deps, async (tx) => {
    const task = found(await queue.lockTask(tx.db, id), 'task')
    if (task.status === 'IN_PROGRESS') throw conflict(...SCRAPE_ACTIVE)
    await queue.retryTask(tx.db, id).catch((error: unknown) => {
      throw violates(error, 'gbstore_scrape_queue_active') ? conflict(...SCRAPE_ACTIVE) : error
    })
    return readTask(tx, task.product_id)
  })
}

export async function retryFailedTasks(deps: Deps) {
  return { enqueued: await write(deps, (tx) => queue.retryFailedTasks(tx.db)) }
}

export async function enqueueImageless(deps: Deps) {
  return { enqueued: await write(deps, (tx) => queue.enqueueImageless(tx.db, 'all')) }
}

async function readTask(tx: UnitOfWork, productId: number): Promise<ScrapeTask> {
  return toTask(found(await queue.findTaskOfProduct(tx.db, productId), 'task'))
}

function toTask(row: queue.NamedTask): ScrapeTask {
  return {
    id: row.id,
    productId: row.product_id,
    productName: row.product_name,
    productPageUrl: row.product_page_url,
    readsPage: row.reads_page,
    imageUrls: row.image_urls,
    status: row.status,
    attempts: row.attempts,
    errorMessage: row.error_message,
    nextAttemptAt: row.status === 'PENDING' ? row.next_attempt_at.toISOString() : null,
    createdAt: row.created_at.toISOString(),
    updatedAt: row.updated_at.toISOString(),
  }
}

/** Lists the downloads, the last attempt first. */
export async function listImageDownloads(deps: Deps, query: ImageDownloadQuery): Promise<Page<ImageDownload>> {
  const productIds = await searchedProducts(deps, query)
  return toPage(await downloads.listDownloads(deps.db, { ...query, productIds }), query, toDownload)
}

/** In page order. @throws AppError 404 */
export async function listProductDownloads({ db }: Deps, productId: number): Promise<ImageDownload[]> {
  found(await downloads.findImageSources(db, productId), 'product')
  return (await downloads.listDownloadsOfProduct(db, productId)).map(toDownload)
}

export function countImageDownloads({ db }: Deps) {
  return downloads.countDownloads(db)
}

/**
 * Enqueues one image again, even after success.
 * @throws AppError 404; 409 SCRAPE_ACTIVE while its product's task is in progress; 409 NOT_DOWNLOADED for uploads
 */
export function retryImageDownload(deps: Deps, id: number): Promise<ImageDownload> {
  return write(deps, async (tx) => {
    const entry = found(await downloads.findDownload(tx.db, id), 'image log entry')
    if (entry.image_url.startsWith('/')) {
      throw conflict('NOT_DOWNLOADED', 'The image was uploaded, not downloaded')
    }
    if ((await queue.enqueueDownloads(tx.db, id)) === 0) throw conflict(...SCRAPE_ACTIVE)
    return toDownload(entry)
  })
}

export async function retryFailedDownloads(deps: Deps) {
  return { enqueued: await write(deps, (tx) => queue.enqueueDownloads(tx.db, null)) }
}

/** Adds entries for product images without one. */
export async function backfillImageLog(deps: Deps) {
  return { added: await write(deps, (tx) => downloads.backfillDownloads(tx.db)) }
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
