import * as downloads from '../../../db/queries/scraping/downloads.ts'
import { lockClaim } from '../../../db/queries/scraping/leases.ts'
import type { ScrapeTaskRow } from '../../../db/tables/scraping.ts'
import type { Deps } from '../../deps.ts'
import { AppError, StorefrontError } from '../../errors.ts'
import type { ScrapeResult } from '../../rules/scraping/outcomes.ts'
import { beginningOf, oneLine, percentDecoded } from '../../rules/text.ts'
import { write } from '../../runtime/write.ts'
import { storeImage } from '../media/store.ts'

/** It quotes the page. */
const MAX_FAULT_LENGTH = 200
const NO_PAGE = 'No page URL is known: neither the task, the supplier nor the feed has one'

/**
 * Downloads the images of a task and links them to its product. A failed image is logged and doesn't stop the others.
 * No transaction is open while waiting for the network.
 * @throws the signal's reason, and faults of our own such as an unavailable storage
 */
export async function scrapeProduct(deps: Deps, task: ScrapeTaskRow, signal: AbortSignal): Promise<ScrapeResult> {
  const { product_id: productId, reads_page, image_urls } = task
  const sources = await downloads.findImageSources(deps.db, productId)
  if (sources === undefined) {
    return { pageFailure: new StorefrontError('The product has been deleted'), images: 0, downloaded: 0, failures: [] }
  }
  const { pageFailure, pageFault, pageUrl, urls } = reads_page ? await readPage(deps, task, sources, signal) : NO_IMAGES
  const wanted = [...new Set([...urls, ...image_urls])]
  const known = new Set(await downloads.listDownloadedUrls(deps.db, productId))
  let downloaded = 0
  const failed = new Map<string, StorefrontError>()
  for (const [index, url] of wanted.entries()) {
    if (deps.tasks.stopping) throw new Error('The service is stopping')
    if (known.has(url) && !image_urls.includes(url)) continue
    const position = urls.includes(url) ? index : null
    const failure = await downloadImage(deps, task, { url, position, pageUrl }, signal)
    if (failure === null) downloaded += 1
    else failed.set(url, failure)
  }
  const isReplacing = reads_page && sources.override_mode === 'REPLACE'
  if (isReplacing && urls.some((url) => !failed.has(url))) {
    await write(deps, async (tx) => {
      const unlinked = await downloads.unlinkDownloadsExcept(tx.db, productId, wanted)
      if (unlinked > 0) tx.recordChange('product', [productId])
      await lockClaim(tx.db, task)
    })
  }
  return { pageFailure, pageFault, images: wanted.length, downloaded, failures: [...failed.values()] }
}

/** `urls`: of images, in page order. */
type Found = Pick<ScrapeResult, 'pageFailure' | 'pageFault'> & { pageUrl: string | null; urls: string[] }
const NO_IMAGES: Found = { pageFailure: null, pageUrl: null, urls: [] }

/** Applies overrides first (docs/scraping.md): REPLACE doesn't even read the page. */
async function readPage(
  deps: Deps,
  task: ScrapeTaskRow,
  sources: downloads.ImageSources,
  signal: AbortSignal,
): Promise<Found> {
  const { override_urls: overrides, feed_pictures: pictures } = sources
  if (sources.override_mode === 'REPLACE') return { ...NO_IMAGES, urls: overrides }
  const pageUrl = task.product_page_url ?? sources.page_url
  if (pageUrl === null) {
    const urls = [...pictures, ...overrides]
    return { pageFailure: urls.length > 0 ? null : new StorefrontError(NO_PAGE), pageUrl, urls }
  }
  try {
    const { url, html } = await deps.storefront.readPage(pageUrl, signal)
    const { urls: found, fault } = await deps.pageParser.findImages({ html, url }, signal)
    const urls = [...(found.length > 0 ? found : pictures), ...overrides]
    return { pageFailure: null, pageFault: fault && beginningOf(oneLine(fault), MAX_FAULT_LENGTH), pageUrl: url, urls }
  } catch (error) {
    return { pageFailure: toFailure(error, signal), pageUrl: null, urls: overrides }
  }
}

type WantedImage = { url: string; position: number | null; pageUrl: string | null }

/** @returns why the image could not be downloaded; null after success */
async function downloadImage(
  deps: Deps,
  task: ScrapeTaskRow,
  { url, position, pageUrl }: WantedImage,
  signal: AbortSignal,
): Promise<StorefrontError | null> {
  const productId = task.product_id
  const download = { productId, url, position }
  try {
    const bytes = await deps.storefront.readImage(url, pageUrl, signal)
    const { id } = await storeImage(deps, { bytes, fileName: percentDecoded(new URL(url).pathname) })
    await write(deps, async (tx) => {
      if (await downloads.linkDownloadedImage(tx.db, download, id)) tx.recordChange('product', [productId])
      await lockClaim(tx.db, task)
    })
    return null
  } catch (error) {
    const failure = toFailure(error, signal)
    await write(deps, async (tx) => {
      await downloads.recordDownload(tx.db, download, { imageId: null, message: failure.message })
      await lockClaim(tx.db, task)
    })
    return failure
  }
}

/** @throws the signal's reason, and faults of our own */
function toFailure(error: unknown, signal: AbortSignal): StorefrontError {
  signal.throwIfAborted()
  // What was downloaded isn't an image.
  if (error instanceof AppError && error.status < 500) return new StorefrontError(error.message)
  if (!(error instanceof StorefrontError)) throw error
  return new StorefrontError(error.message.charAt(0).toUpperCase() + error.message.slice(1), error)
}
