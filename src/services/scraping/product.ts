import * as downloads from '../../../db/queries/scraping/downloads.ts'
import { lockClaim } from '../../../db/queries/scraping/leases.ts'
import type { ScrapeTaskRow } from '../../../db/tables/scraping.ts'
import type { Deps } from '../../deps.ts'
import { AppError, StorefrontError } from '../../errors.ts'
import type { Failure, ScrapeResult } from '../../rules/scraping/outcomes.ts'
import { percentDecoded } from '../../rules/text.ts'
import { write } from '../../runtime/write.ts'
import { storeImage } from '../media/store.ts'

/** `force`: download even if the image was downloaded before. */
type WantedImage = { url: string; position: number | null; force: boolean; pageUrl: string | null }
type Wanted = { page: Failure | null; images: WantedImage[] }

const NO_PAGE = 'No page URL is known: neither the task, the supplier nor the feed has one'

/**
 * Downloads the images of a task and links them to its product. A failed image is logged and doesn't stop the others.
 * No transaction is open while waiting for the network.
 * @throws the signal's reason, and faults of our own such as an unavailable storage
 */
export async function scrapeProduct(
  deps: Deps,
  task: ScrapeTaskRow,
  signal: AbortSignal,
): Promise<ScrapeResult> {
  const productId = task.product_id
  const sources = await downloads.findImageSources(deps.db, productId)
  if (sources === undefined) {
    return { page: permanentFailure('The product has been deleted'), images: 0, downloaded: 0, failures: [] }
  }
  const { page, images } = await findWanted(deps, task, sources, signal)
  const known = new Set(await downloads.listDownloadedUrls(deps.db, productId))
  let downloaded = 0
  const failures: Failure[] = []
  for (const image of images) {
    if (deps.tasks.stopping) throw new Error('The service is stopping')
    if (!image.force && known.has(image.url)) continue
    const failure = await downloadImage(deps, task, image, signal)
    if (failure === null) downloaded += 1
    else failures.push(failure)
  }
  if (task.reads_page && sources.override_mode === 'REPLACE' && failures.length < images.length) {
    await unlinkOthers(deps, task, sources.override_urls ?? [])
  }
  return { page, images: images.length, downloaded, failures }
}

/** The images of the page in their order, then those requested by URL. */
async function findWanted(
  deps: Deps,
  task: ScrapeTaskRow,
  sources: downloads.ImageSources,
  signal: AbortSignal,
): Promise<Wanted> {
  const found = task.reads_page ? await readPage(deps, task, sources, signal) : { page: null, images: [] }
  const requested = new Set(task.image_urls)
  const images = found.images.map((image) => ({ ...image, force: requested.has(image.url) }))
  for (const { url } of images) requested.delete(url)
  const added = [...requested].map((url) => ({ url, position: null, force: true, pageUrl: null }))
  return { page: found.page, images: [...images, ...added] }
}

/** Applies overrides first (contract section 9): REPLACE doesn't even read the page. */
async function readPage(
  deps: Deps,
  task: ScrapeTaskRow,
  sources: downloads.ImageSources,
  signal: AbortSignal,
): Promise<Wanted> {
  const overrides = sources.override_urls ?? []
  if (sources.override_mode === 'REPLACE') return { page: null, images: inOrder(overrides, null) }
  const pictures = sources.feed_pictures ?? []
  const pageUrl = task.product_page_url ?? sources.page_url ?? sources.feed_page_url
  if (pageUrl === null) {
    const urls = [...pictures, ...overrides]
    return { page: urls.length > 0 ? null : permanentFailure(NO_PAGE), images: inOrder(urls, null) }
  }
  try {
    const { url, html } = await deps.storefront.readPage(pageUrl, signal)
    const found = await deps.pageParser.findImages({ html, url }, signal)
    return { page: null, images: inOrder([...(found.length > 0 ? found : pictures), ...overrides], url) }
  } catch (error) {
    return { page: toFailure(error, signal), images: inOrder(overrides, null) }
  }
}

function inOrder(urls: string[], pageUrl: string | null): WantedImage[] {
  return [...new Set(urls)].map((url, position) => ({ url, position, force: false, pageUrl }))
}

/** @returns why the image could not be downloaded; null after success */
async function downloadImage(
  deps: Deps,
  task: ScrapeTaskRow,
  { url, position, pageUrl }: WantedImage,
  signal: AbortSignal,
): Promise<Failure | null> {
  const productId = task.product_id
  const download = { productId, url, position }
  try {
    const { bytes, contentType } = await deps.storefront.readImage(url, pageUrl, signal)
    const { id } = await storeImage(deps, {
      bytes,
      fileName: percentDecoded(new URL(url).pathname.split('/').at(-1) ?? '') || undefined,
    }).catch((error: unknown) => {
      throw toStorefrontError(error, contentType)
    })
    await write(deps, async (tx) => {
      if (await downloads.linkDownloadedImage(tx.db, download, id)) tx.recordChange('product', [productId])
      await lockClaim(tx.db, task)
    })
    return null
  } catch (error) {
    const failure = toFailure(error, signal)
    await write(deps, async (tx) => {
      await downloads.recordFailedDownload(tx.db, download, failure.message)
      await lockClaim(tx.db, task)
    })
    return failure
  }
}

async function unlinkOthers(deps: Deps, task: ScrapeTaskRow, urls: string[]): Promise<void> {
  await write(deps, async (tx) => {
    const unlinked = await downloads.unlinkDownloadsExcept(tx.db, task.product_id, urls)
    if (unlinked > 0) tx.recordChange('product', [task.product_id])
    await lockClaim(tx.db, task)
  })
}

/** Turns a rejected image into a storefront's fault, and adds the content type that its server sent. */
function toStorefrontError(error: unknown, contentType: string | undefined): unknown {
  if (!(error instanceof AppError) || error.status >= 500) return error
  const sent = contentType === undefined ? '' : ` (Content-Type: ${contentType.slice(0, 100)})`
  return new StorefrontError(`${error.message}${sent}`, { permanent: true })
}

function permanentFailure(message: string): Failure {
  return { message, permanent: true }
}

function toFailure(error: unknown, signal: AbortSignal): Failure {
  signal.throwIfAborted()
  if (!(error instanceof StorefrontError)) throw error
  const { permanent, retryAfterMs } = error.about
  const message = error.message.charAt(0).toUpperCase() + error.message.slice(1)
  return { message, permanent, retryAfterMs }
}
