import { violates } from '../../../db/errors.ts'
import * as log from '../../../db/queries/scraping/image-log.ts'
import * as queue from '../../../db/queries/scraping/queue.ts'
import { findImageSources } from '../../../db/queries/scraping/tasks.ts'
import { SCRAPE_TASK_SORT } from '../../../db/tables/scraping.ts'
import type { Deps } from '../../deps.ts'
import { conflict, invalid, notFound } from '../../errors.ts'
import { readSort } from '../../rules/lists.ts'
import { readImageUrls } from '../../rules/pipeline/image-addresses.ts'
import { type UnitOfWork, write } from '../../runtime/write.ts'
import { type Page, toPage } from '../../schemas/common.ts'
import type {
  Enqueued,
  ManualImport,
  ProductScrape,
  ScrapeStats,
  ScrapeTask,
  ScrapeTaskQuery,
  ScrapeWish,
} from '../../schemas/scraping.ts'
import { toDownloadStats } from './image-log.ts'

type WriteDeps = Pick<Deps, 'db' | 'changes'>

/** Specification, "Image scraping"; the newest first unless told otherwise. */
export async function listScrapeTasks(
  { db }: Pick<Deps, 'db'>,
  query: ScrapeTaskQuery,
): Promise<Page<ScrapeTask>> {
  const filter = { status: query.status, search: query.search?.trim() || undefined }
  const sort = readSort(query.sort, SCRAPE_TASK_SORT, 'id,desc')
  return toPage(await queue.listTasks(db, filter, sort, query), query, toTask)
}

export async function countScrapeTasks({ db }: Pick<Deps, 'db'>): Promise<ScrapeStats> {
  const counted = await queue.countTasks(db)
  const none: ScrapeStats = { PENDING: 0, IN_PROGRESS: 0, DONE: 0, FAILED: 0 }
  return { ...none, ...Object.fromEntries(counted.map(({ status, count }) => [status, count])) }
}

/** @throws AppError 404 */
export async function getProductScrape({ db }: Pick<Deps, 'db'>, productId: number): Promise<ProductScrape> {
  const sources = await findImageSources(db, productId)
  if (sources === undefined) throw notFound('product')
  const task = await queue.findTaskOfProduct(db, productId)
  return {
    productId,
    productName: sources.name,
    pageUrl: sources.page_url ?? sources.feed_page_url,
    task: task ? toTask(task) : null,
    images: toDownloadStats(await log.countDownloads(db, productId)),
  }
}

/**
 * Asks for the images of a product. A task that waits already is due at once, and takes the new address.
 * @throws AppError 400; 404; 409 SCRAPE_ACTIVE when an address is given while a task is being worked on
 */
export function enqueueProduct(deps: WriteDeps, productId: number, wish: ScrapeWish): Promise<ScrapeTask> {
  const [address = null] = wish?.pageUrl ? readPageUrl(wish.pageUrl) : []
  return write(deps, async (tx) => {
    if (!(await queue.lockProduct(tx.db, productId))) throw notFound('product')
    const wanted = { productId, readsPage: true, pageUrl: address, imageUrls: [] }
    const id = await queue.enqueueProduct(tx.db, wanted)
    if (id === undefined && address !== null) throw active()
    return readTask(tx, id ?? (await queue.findTaskOfProduct(tx.db, productId))?.id)
  })
}

/**
 * Asks for images by their addresses; they are fetched whatever was fetched before, and shown behind the others.
 * @throws AppError 400 that names every fault; 409 SCRAPE_ACTIVE while the product is being worked on
 */
export function importImages(deps: WriteDeps, { productId, urls }: ManualImport): Promise<ScrapeTask> {
  const imageUrls = readImageUrls(urls)
  return write(deps, async (tx) => {
    if (!(await queue.lockProduct(tx.db, productId))) {
      throw invalid({ path: 'productId', message: 'refers to a record that is not there' })
    }
    const wish = { productId, readsPage: false, pageUrl: null, imageUrls }
    const id = await queue.enqueueProduct(tx.db, wish)
    if (id === undefined) throw active()
    return readTask(tx, id)
  })
}

/** A task from the beginning. @throws AppError 404; 409 SCRAPE_ACTIVE while it, or another of its product, is active */
export async function retryScrapeTask(deps: WriteDeps, id: number): Promise<ScrapeTask> {
  try {
    return await write(deps, async (tx) => {
      const task = await queue.lockTask(tx.db, id)
      if (task === undefined) throw notFound('task')
      if (task.status === 'IN_PROGRESS') throw active()
      await queue.restartTask(tx.db, id)
      return readTask(tx, id)
    })
  } catch (error) {
    throw violates(error, 'gbstore_scrape_queue_active') ? active() : error
  }
}

export async function retryFailedTasks(deps: WriteDeps): Promise<Enqueued> {
  return { enqueued: await write(deps, (tx) => queue.restartFailedTasks(tx.db)) }
}

/** All in one statement. */
export async function enqueueImageless(deps: WriteDeps): Promise<Enqueued> {
  return { enqueued: await write(deps, (tx) => queue.enqueueImageless(tx.db, { untried: false })) }
}

function readPageUrl(pageUrl: string): string[] {
  try {
    return readImageUrls([pageUrl])
  } catch {
    throw invalid({ path: 'pageUrl', message: 'must be an http(s) address' })
  }
}

function active() {
  return conflict('SCRAPE_ACTIVE', "The product's images are being fetched just now")
}

async function readTask(tx: UnitOfWork, id: number | undefined): Promise<ScrapeTask> {
  const task = id === undefined ? undefined : await queue.findTask(tx.db, id)
  // It ended between two statements.
  if (task === undefined) throw active()
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
