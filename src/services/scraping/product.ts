import * as downloads from '../../../db/queries/scraping/downloads.ts'
import { findImageSources, type ImageSources } from '../../../db/queries/scraping/tasks.ts'
import type { ScrapeTaskRow } from '../../../db/tables/scraping.ts'
import type { Deps } from '../../deps.ts'
import { AppError, StorefrontError } from '../../errors.ts'
import type { Failure, Finds } from '../../rules/scraping/outcomes.ts'
import { write } from '../../runtime/write.ts'
import { storeImage } from '../media/store.ts'

export type ScrapeDeps = Pick<
  Deps,
  'db' | 'changes' | 'storage' | 'pictures' | 'storefront' | 'pages' | 'log' | 'tasks' | 'config'
>

/** An image to fetch; `again`: whatever is known of it. */
type Wanted = { url: string; position: number | null; again: boolean; page: string | null }
type Search = { page: Failure | null; wanted: Wanted[] }
type Outcome = 'KNOWN' | 'FETCHED' | Failure

const NO_PAGE = 'There is no page to read: neither the task nor the supplier nor the feed names one'

/**
 * Fetches what a task asks for and shows it with its product. One image that can't be had is noted and keeps nobody
 * from the others. No transaction is open meanwhile.
 * @param onImage hears of each image that was tried
 * @throws what is no fault of the page or its images: the signal's reason, a storage that is down
 */
export async function scrapeProduct(
  deps: ScrapeDeps,
  task: ScrapeTaskRow,
  signal: AbortSignal,
  onImage: (fetched: boolean) => void,
): Promise<Finds> {
  const productId = task.product_id
  const sources = await findImageSources(deps.db, productId)
  if (sources === undefined) return { page: failed('The product is gone'), images: 0, failures: [] }
  const { page, wanted } = await search(deps, task, sources, signal)
  const known = await downloads.listKnownDownloads(deps.db, productId)
  const had = new Set(
    known.filter((one) => one.status === 'SUCCESS' && one.image_id).map((one) => one.image_url),
  )
  const outcomes: Outcome[] = []
  for (const image of wanted) {
    if (deps.tasks.stopping) throw new Error('The service is stopping')
    const outcome =
      !image.again && had.has(image.url) ? 'KNOWN' : await fetchImage(deps, productId, image, signal)
    if (outcome !== 'KNOWN') onImage(outcome === 'FETCHED')
    outcomes.push(outcome)
  }
  const failures = outcomes.filter((outcome) => typeof outcome === 'object')
  if (task.reads_page && sources.override_mode === 'REPLACE' && failures.length < wanted.length) {
    await takeOffOthers(deps, productId, sources.override_urls ?? [])
  }
  return { page, images: wanted.length, failures }
}

/** Which images a task wants: those that staff asked for by address, and those of the page. */
async function search(
  deps: ScrapeDeps,
  task: ScrapeTaskRow,
  sources: ImageSources,
  signal: AbortSignal,
): Promise<Search> {
  const asked = task.image_urls.map((url) => ({ url, position: null, again: true, page: null }))
  const found = task.reads_page ? await searchPage(deps, task, sources, signal) : { page: null, wanted: [] }
  const own = new Set(task.image_urls)
  // What stands on the page too has its place there.
  const wanted = found.wanted.map((image) => (own.has(image.url) ? { ...image, again: true } : image))
  const there = new Set(wanted.map(({ url }) => url))
  return { page: found.page, wanted: [...wanted, ...asked.filter(({ url }) => !there.has(url))] }
}

/** Overrides first (contract section 9): REPLACE doesn't even read the page. */
async function searchPage(
  deps: ScrapeDeps,
  task: ScrapeTaskRow,
  sources: ImageSources,
  signal: AbortSignal,
): Promise<Search> {
  const chosen = sources.override_urls ?? []
  if (sources.override_mode === 'REPLACE') return { page: null, wanted: inOrder(chosen, null) }
  const pictures = sources.feed_pictures ?? []
  const address = task.product_page_url ?? sources.page_url ?? sources.feed_page_url
  if (address === null) {
    const urls = [...pictures, ...chosen]
    return { page: urls.length > 0 ? null : failed(NO_PAGE), wanted: inOrder(urls, null) }
  }
  try {
    const { url, html } = await deps.storefront.readPage(address, signal)
    const shown = await deps.pages.findImages({ html, url }, signal)
    return { page: null, wanted: inOrder([...(shown.length > 0 ? shown : pictures), ...chosen], url) }
  } catch (error) {
    return { page: failureOf(error, signal), wanted: inOrder(chosen, null) }
  }
}

function inOrder(urls: string[], page: string | null): Wanted[] {
  return [...new Set(urls)].map((url, position) => ({ url, position, again: false, page }))
}

async function fetchImage(
  deps: ScrapeDeps,
  productId: number,
  { url, position, page }: Wanted,
  signal: AbortSignal,
): Promise<'FETCHED' | Failure> {
  const download = { productId, url, position }
  try {
    const { bytes, contentType } = await deps.storefront.readImage(url, page, signal)
    const { id } = await storeImage(deps, { bytes, fileName: fileNameOf(url) }).catch((error: unknown) => {
      throw refusalOf(error, contentType)
    })
    await write(deps, async (tx) => {
      if (await downloads.linkDownload(tx.db, download, id)) tx.recordChange('product', [productId])
    })
    return 'FETCHED'
  } catch (error) {
    const failure = failureOf(error, signal)
    await downloads.noteFailedDownload(deps.db, download, failure.message)
    return failure
  }
}

async function takeOffOthers(deps: ScrapeDeps, productId: number, urls: string[]): Promise<void> {
  await write(deps, async (tx) => {
    const unlinked = await downloads.unlinkOtherDownloads(tx.db, productId, urls)
    if (unlinked > 0) tx.recordChange('product', [productId])
  })
}

/** What the bytes were found to be, beside what the server called them. */
function refusalOf(error: unknown, contentType: string | undefined): unknown {
  if (!(error instanceof AppError) || error.status >= 500) return error
  const named = contentType === undefined ? '' : ` (the server calls it ${contentType.slice(0, 100)})`
  return new StorefrontError(`${error.message}${named}`, { permanent: true })
}

function failed(message: string): Failure {
  return { message, permanent: true }
}

function failureOf(error: unknown, signal: AbortSignal): Failure {
  signal.throwIfAborted()
  if (!(error instanceof StorefrontError)) throw error
  const { permanent, retryAfterMs } = error.about
  return { message: sentence(error.message), permanent, retryAfterMs }
}

function sentence(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1)
}

function fileNameOf(url: string): string | undefined {
  const name = new URL(url).pathname.split('/').at(-1) ?? ''
  try {
    return decodeURIComponent(name) || undefined
  } catch {
    return name
  }
}
