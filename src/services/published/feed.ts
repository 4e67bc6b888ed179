import { createHash, randomUUID } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { createGunzip } from 'node:zlib'
import type { AdvisoryLockName } from '../../../db/advisory-locks.ts'
import type { Trx } from '../../../db/database.ts'
import { listCategoryPlaces } from '../../../db/queries/catalogue/categories.ts'
import { countExcludedProducts, listFeedProducts } from '../../../db/queries/published/feed.ts'
import { findNewestPublication, type PublicationRow } from '../../../db/queries/published/publications.ts'
import { listSettings } from '../../../db/queries/settings/settings.ts'
import { wasEverFilled } from '../../../db/queries/supplier/states.ts'
import { FEED_KINDS, type FeedKind } from '../../../db/tables/publications.ts'
import type { FeedOutcome } from '../../../db/tables/sync.ts'
import { FeedError } from '../../errors.ts'
import { arrangeCategories, subtreeOf } from '../../rules/catalogue/category-tree.ts'
import {
  type ExclusionReason,
  type FeedCategory,
  type FeedFormat,
  type FeedShop,
  MAX_ATTRIBUTES_READ,
  MAX_DESCRIPTION_READ,
  MAX_PICTURES_READ,
  shrinkage,
} from '../../rules/published/feeds.ts'
import { GOOGLE_MERCHANT } from '../../rules/published/google-merchant.ts'
import type { FeedInspection } from '../../rules/published/inspection.ts'
import { YML } from '../../rules/published/yml.ts'
import { withDefaults } from '../../rules/settings/keys.ts'
import { type Draft, laterThan, publish, writeGzipped } from './drafts.ts'
import { type Publication, type PublishDeps, rebuild, requestRebuild } from './publishing.ts'

/** Each is a file of its own in src/rules/published. */
export const FORMATS: Record<FeedKind, FeedFormat> = { feed: YML, 'google-merchant': GOOGLE_MERCHANT }
/** Products read and written at a time, without delaying requests noticeably. */
const PAGE_SIZE = 100
const NEVER_FILLED = 'The catalogue is empty until the first sync has finished'

type Written = {
  draft: Draft
  excluded: FeedOutcome['excluded']
  minPercent: number
  published: PublicationRow | undefined
}

/** The catalogue in each format (contract sections 8, "Feed", and 14). */
export const FEEDS = {
  feed: feedPublication('feed', 'ymlFeed'),
  'google-merchant': feedPublication('google-merchant', 'googleFeed'),
}

function feedPublication(
  kind: FeedKind,
  lock: AdvisoryLockName,
): Publication<Omit<FeedOutcome, 'durationMs'>> {
  return {
    kind,
    lock,
    of: ({ feeds }) => feeds[kind],
    build: (deps, folder, signal) => buildFeed(deps, kind, folder, signal),
    failed: (reason) => ({ status: 'FAILED', offers: 0, excluded: {}, reason }),
    missing: async ({ db }) => ((await wasEverFilled(db)) ? null : NEVER_FILLED),
  }
}

export function rebuildFeed(deps: PublishDeps, kind: FeedKind = 'feed'): Promise<FeedOutcome> {
  return rebuild(deps, FEEDS[kind])
}

/** Rebuilds all feeds. @returns the outcomes in the order of FEED_KINDS */
export async function rebuildFeeds(deps: PublishDeps): Promise<FeedOutcome[]> {
  const outcomes: FeedOutcome[] = []
  for (const kind of FEED_KINDS) outcomes.push(await rebuildFeed(deps, kind))
  return outcomes
}

/** Rebuilds all feeds as a job. @throws FeedError when one could not be built, or failed its own check */
export async function runFeedRebuild(deps: PublishDeps): Promise<void> {
  const outcomes = await rebuildFeeds(deps)
  const faults = outcomes.flatMap(({ status, reason }, index) =>
    status === 'FAILED' || status === 'REJECTED' ? [`${FEED_KINDS[index]}: ${reason ?? status}`] : [],
  )
  if (faults.length > 0) throw new FeedError(faults.join('; '))
}

export function requestFeedRebuild(deps: PublishDeps, kind: FeedKind, reason: string): void {
  requestRebuild(deps, FEEDS[kind], reason)
}

/**
 * Builds the feed from one snapshot of the database, and publishes it unless it is malformed, lost too many offers or only
 * its date changed (contract section 8, "Feed").
 * @param folder for the temporary file
 */
async function buildFeed(
  deps: PublishDeps,
  kind: FeedKind,
  folder: string,
  signal: AbortSignal,
): Promise<Omit<FeedOutcome, 'durationMs'>> {
  const path = join(folder, `${randomUUID()}.tmp`)
  try {
    const { draft, excluded, minPercent, published } = await writeDraft(deps, kind, path, signal)
    const offers = draft.entries
    if (published?.content_hash === draft.content_hash) {
      return { status: 'UNCHANGED', offers, excluded, reason: 'Nothing has changed since the published feed' }
    }
    const reason =
      shrinkage(offers, published?.entries ?? null, minPercent) ??
      (await findFault(FORMATS[kind].inspect(), path, offers, signal))
    if (reason !== null) return { status: 'REJECTED', offers, excluded, reason }
    await publish(deps, draft, signal)
    return { status: 'PUBLISHED', offers, excluded, reason: null }
  } finally {
    await rm(path, { force: true })
  }
}

function writeDraft(deps: PublishDeps, kind: FeedKind, path: string, signal: AbortSignal): Promise<Written> {
  const format = FORMATS[kind]
  const { shopTimeZone: timeZone, siteUrl } = deps.config
  const snapshot = deps.db.transaction().setIsolationLevel('repeatable read').setAccessMode('read only')
  return snapshot.execute(async (trx) => {
    const settings = withDefaults(await listSettings(trx))
    const published = await findNewestPublication(trx, kind)
    const categories = visibleCategories(arrangeCategories(await listCategoryPlaces(trx)))
    const shop = { siteUrl, timeZone, settings, categories }
    const excluded = await countExcludedProducts(trx, [...categories.keys()])
    const built_at = laterThan(published?.built_at, deps.now())
    const hash = createHash('sha256')
    let entries = 0
    const count = (reason: ExclusionReason | null): void => {
      if (reason === null) entries += 1
      else excluded[reason] = (excluded[reason] ?? 0) + 1
    }

    async function* text(): AsyncGenerator<string> {
      yield format.opening(built_at, timeZone)
      for await (const piece of content(trx, format, shop, count)) {
        hash.update(piece)
        yield piece
      }
    }

    const sizes = await writeGzipped(path, text(), signal)
    const files = [{ name: format.fileName, path, ...sizes }]
    const after = published?.id ?? null
    const draft: Draft = { kind, built_at, content_hash: hash.digest('hex'), entries, files, after }
    return { draft, excluded, minPercent: Number(settings.feed_min_offers_percent), published }
  })
}

/** Visible categories, parents before children. */
function visibleCategories(tree: ReturnType<typeof arrangeCategories>): FeedShop['categories'] {
  const categories = new Map<number, FeedCategory>()
  for (const { row, parent, visible } of tree.roots.flatMap((root) => subtreeOf(root))) {
    if (!visible) continue
    const parentId = parent?.row.id ?? null
    const path = [...(parentId === null ? [] : (categories.get(parentId)?.path ?? [])), row.name]
    categories.set(row.id, { id: row.id, name: row.name, parentId, path })
  }
  return categories
}

/** Everything after the date. @param count called for each product; null: it became an offer */
async function* content(
  trx: Trx,
  format: FeedFormat,
  shop: FeedShop,
  count: (reason: ExclusionReason | null) => void,
): AsyncGenerator<string> {
  yield format.shop(shop)
  const page = {
    limit: PAGE_SIZE,
    visibleCategories: [...shop.categories.keys()],
    maxImages: MAX_PICTURES_READ,
    maxAttributes: MAX_ATTRIBUTES_READ,
    maxDescriptionLength: MAX_DESCRIPTION_READ,
  }
  let products = await listFeedProducts(trx, { ...page, after: 0 })
  while (products.length > 0) {
    let offers = ''
    for (const product of products) {
      const offer = format.offer(product, shop)
      count('excluded' in offer ? offer.excluded : null)
      if ('text' in offer) offers += offer.text
    }
    if (offers !== '') yield offers
    products = await listFeedProducts(trx, { ...page, after: products.at(-1)?.id ?? 0 })
  }
  yield format.closing
}

/** Reads the finished file back. @returns the reason to reject it; null if it is valid */
async function findFault(
  inspection: FeedInspection,
  path: string,
  offers: number,
  signal: AbortSignal,
): Promise<string | null> {
  let fault: string | null = null
  const read = async (pieces: AsyncIterable<string>): Promise<void> => {
    try {
      for await (const piece of pieces) inspection.write(piece)
      const found = inspection.finish()
      if (found.offers !== offers) fault = `${found.offers} of ${offers} offers can be read back`
    } catch (error) {
      signal.throwIfAborted()
      fault = `The feed is not valid: ${error instanceof Error ? error.message : error}`
    }
  }
  const file = createReadStream(path, { signal })
  const text = createGunzip({ chunkSize: 65_536 }).setEncoding('utf8')
  await pipeline(file, text, read, { signal })
  return fault
}
