import { violates } from '../../../db/errors.ts'
import { countDownloads, findImageSources } from '../../../db/queries/scraping/downloads.ts'
import * as queue from '../../../db/queries/scraping/queue.ts'
import { SCRAPE_TASK_SORT } from '../../../db/tables/scraping.ts'
import type { Deps } from '../../deps.ts'
import { conflict, invalid, notFound } from '../../errors.ts'
import { readSort } from '../../rules/lists.ts'
import { isHttpUrl, readImageUrls } from '../../rules/pipeline/image-urls.ts'
import { type UnitOfWork, write } from '../../runtime/write.ts'
import { type Page, toPage } from '../../schemas/lists.ts'
import type {
  Enqueued,
  ManualImport,
  ProductScrape,
  ScrapeRequest,
  ScrapeStats,
  ScrapeTask,
  ScrapeTaskQuery,
} from '../../schemas/scraping.ts'
import { toDownloadStats } from './image-log.ts'

/** Specification, "Image scraping". Newest first by default. */
export async function listScrapeTasks({ db }: Deps, query: ScrapeTaskQuery): Promise<Page<ScrapeTask>> {
  const filter = { status: query.status, search: query.search?.trim() || undefined }
  const sort = readSort(query.sort, SCRAPE_TASK_SORT, 'id,desc')
  return toPage(await queue.listTasks(db, filter, sort, query), query, toTask)
}

export async function countScrapeTasks({ db }: Deps): Promise<ScrapeStats> {
  const counted = await queue.countTasks(db)
  const none: ScrapeStats = { PENDING: 0, IN_PROGRESS: 0, DONE: 0, FAILED: 0 }
  return { ...none, ...Object.fromEntries(counted.map(({ status, count }) => [status, count])) }
}

/** @throws AppError 404 */
export async function getProductScrape({ db }: Deps, productId: number): Promise<ProductScrape> {
  const sources = await findImageSources(db, productId)
  if (sources === undefined) throw notFound('product')
  const task = await queue.findTaskOfProduct(db, productId)
  return {
    productId,
    productName: sources.name,
    pageUrl: sources.page_url ?? sources.feed_page_url,
    task: task ? toTask(task) : null,
    images: toDownloadStats(await countDownloads(db, productId)),
  }
}

/**
 * Enqueues a product. A pending task becomes due at once and takes over the page URL.
 * @throws AppError 400; 404; 409 SCRAPE_ACTIVE when a page URL is given while the product's task is in progress
 */
export function enqueueProduct(deps: Deps, productId: number, request: ScrapeRequest): Promise<ScrapeTask> {
  const pageUrl = request?.pageUrl?.trim() || null
  if (pageUrl !== null && !isHttpUrl(pageUrl)) {
    throw invalid({ path: 'pageUrl', message: 'must be an http(s) URL' })
  }
  return write(deps, async (tx) => {
    if (!(await queue.lockProduct(tx.db, productId))) throw notFound('product')
    const id = await queue.enqueueProduct(tx.db, { productId, readsPage: true, pageUrl, imageUrls: [] })
    if (id === undefined && pageUrl !== null) throw scrapeActive()
    return readTask(tx, id ?? (await queue.findTaskOfProduct(tx.db, productId))?.id)
  })
}

/**
 * Enqueues images by URL. They are downloaded even if they were before, and appended to the product's images.
 * @throws AppError 400; 409 SCRAPE_ACTIVE while the product's task is in progress
 */
export function importImages(deps: Deps, { productId, urls }: ManualImport): Promise<ScrapeTask> {
  const imageUrls = readImageUrls(urls)
  return write(deps, async (tx) => {
    if (!(await queue.lockProduct(tx.db, productId))) {
      throw invalid({ path: 'productId', message: 'refers to a record that does not exist' })
    }
    const id = await queue.enqueueProduct(tx.db, { productId, readsPage: false, pageUrl: null, imageUrls })
    if (id === undefined) throw scrapeActive()
    return readTask(tx, id)
  })
}

/** @throws AppError 404; 409 SCRAPE_ACTIVE when it is in progress, or another task of its product is active */
export async function retryScrapeTask(deps: Deps, id: number): Promise<ScrapeTask> {
  try {
    return await write(deps, async (tx) => {
      const task = await queue.lockTask(tx.db, id)
      if (task === undefined) throw notFound('task')
      if (task.status === 'IN_PROGRESS') throw scrapeActive()
      await queue.retryTask(tx.db, id)
      return readTask(tx, id)
    })
  } catch (error) {
    throw violates(error, 'gbstore_scrape_queue_active') ? scrapeActive() : error
  }
}

export async function retryFailedTasks(deps: Deps): Promise<Enqueued> {
  return { enqueued: await write(deps, (tx) => queue.retryFailedTasks(tx.db)) }
}

export async function enqueueImageless(deps: Deps): Promise<Enqueued> {
  return { enqueued: await write(deps, (tx) => queue.enqueueImageless(tx.db, { untried: false })) }
}

function scrapeActive() {
  return conflict('SCRAPE_ACTIVE', "The product's images are being fetched")
}

async function readTask(tx: UnitOfWork, id: number | undefined): Promise<ScrapeTask> {
  const task = id === undefined ? undefined : await queue.findTask(tx.db, id)
  // The task has finished since the previous statement.
  if (task === undefined) throw scrapeActive()
  return toTask(task)
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
