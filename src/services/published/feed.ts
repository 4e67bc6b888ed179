import { randomUUID } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { createGunzip } from 'node:zlib'
import type { Trx } from '../../../db/database.ts'
import { listCategoryPlaces } from '../../../db/queries/catalogue/categories.ts'
import { countExcludedProducts, listFeedProducts } from '../../../db/queries/published/feed.ts'
import { findNewestPublication, type PublicationRow } from '../../../db/queries/published/publications.ts'
import { listSettings } from '../../../db/queries/settings/settings.ts'
import { wasEverFilled } from '../../../db/queries/supplier/states.ts'
import type { FeedOutcome } from '../../../db/tables/sync.ts'
import { FeedError } from '../../errors.ts'
import { arrangeCategories, subtreeOf } from '../../rules/catalogue/category-tree.ts'
import {
  type ExclusionReason,
  type FeedCategory,
  MAX_ATTRIBUTES_READ,
  MAX_DESCRIPTION_READ,
  MAX_PICTURES,
  shrinkage,
  YML_CLOSING,
  ymlOffer,
  ymlOpening,
  ymlShop,
} from '../../rules/published/yml.ts'
import { inspectFeed } from '../../rules/published/yml-inspection.ts'
import { type SettingValues, withDefaults } from '../../rules/settings/keys.ts'
import { createContentHash, type Draft, laterThan, publish, writeGzipped } from './drafts.ts'
import { type Publication, type PublishDeps, rebuild, requestRebuild } from './publishing.ts'

export const FEED_FILE = 'yml-catalog.xml'
/** Products read and written at a time, without delaying requests noticeably. */
const PAGE_SIZE = 100
const NEVER_FILLED = 'The catalogue is empty until the first sync has finished'

type Written = {
  draft: Draft
  excluded: FeedOutcome['excluded']
  settings: SettingValues
  published: PublicationRow | undefined
}

/** The catalogue as YML (contract section 8, "Feed"). */
export const FEED: Publication<Omit<FeedOutcome, 'durationMs'>> = {
  kind: 'feed',
  lock: 'ymlFeed',
  of: ({ feed }) => feed,
  build: buildFeed,
  failed: (reason) => ({ status: 'FAILED', offers: 0, excluded: {}, reason }),
  missing: async ({ db }) => ((await wasEverFilled(db)) ? null : NEVER_FILLED),
}

export function rebuildFeed(deps: PublishDeps): Promise<FeedOutcome> {
  return rebuild(deps, FEED)
}

/** Rebuilds the feed as a job. @throws FeedError when it could not be built, or failed its own check */
export async function runFeedRebuild(deps: PublishDeps): Promise<void> {
  const { status, reason } = await rebuildFeed(deps)
  if (status === 'FAILED' || status === 'REJECTED') throw new FeedError(reason ?? status)
}

export function requestFeedRebuild(deps: PublishDeps, reason: string): void {
  requestRebuild(deps, FEED, reason)
}

/**
 * Builds the feed from one snapshot of the database, and publishes it unless it is malformed, lost too many offers or only
 * its date changed (contract section 8, "Feed").
 * @param folder for the temporary file
 */
async function buildFeed(
  deps: PublishDeps,
  folder: string,
  signal: AbortSignal,
): Promise<Omit<FeedOutcome, 'durationMs'>> {
  const path = join(folder, `${randomUUID()}.tmp`)
  try {
    const { draft, excluded, settings, published } = await writeDraft(deps, path, signal)
    const offers = draft.entries
    if (published?.content_hash === draft.content_hash) {
      return { status: 'UNCHANGED', offers, excluded, reason: 'Nothing has changed since the published feed' }
    }
    const reason =
      shrinkage(offers, published?.entries ?? null, Number(settings.feed_min_offers_percent)) ??
      (await findFault(path, offers, signal))
    if (reason !== null) return { status: 'REJECTED', offers, excluded, reason }
    await publish(deps, draft, signal)
    return { status: 'PUBLISHED', offers, excluded, reason: null }
  } finally {
    await rm(path, { force: true })
  }
}

function writeDraft(deps: PublishDeps, path: string, signal: AbortSignal): Promise<Written> {
  const snapshot = deps.db.transaction().setIsolationLevel('repeatable read').setAccessMode('read only')
  return snapshot.execute(async (trx) => {
    const settings = withDefaults(await listSettings(trx))
    const published = await findNewestPublication(trx, 'feed')
    const categories = visibleCategories(arrangeCategories(await listCategoryPlaces(trx)))
    const visible = categories.map((category) => category.id)
    const excluded = await countExcludedProducts(trx, visible)
    const built_at = laterThan(published?.built_at, deps.now())
    const hash = createContentHash()
    let entries = 0
    const count = (reason: ExclusionReason | null): void => {
      if (reason === null) entries += 1
      else excluded[reason] = (excluded[reason] ?? 0) + 1
    }

    async function* text(): AsyncGenerator<string> {
      yield ymlOpening(built_at, deps.config.shopTimeZone)
      for await (const piece of content(trx, deps.config.siteUrl, settings, categories, count)) {
        yield hash.pass(piece)
      }
    }

    const sizes = await writeGzipped(path, text(), signal)
    const files = [{ name: FEED_FILE, path, ...sizes }]
    const after = published?.id ?? null
    const draft: Draft = { kind: 'feed', built_at, content_hash: hash.digest(), entries, files, after }
    return { draft, excluded, settings, published }
  })
}

/** Visible categories, parents before children. */
function visibleCategories(tree: ReturnType<typeof arrangeCategories>): FeedCategory[] {
  const nodes = tree.roots.flatMap((root) => subtreeOf(root))
  return nodes
    .filter((node) => node.visible)
    .map(({ row, parent }) => ({ id: row.id, name: row.name, parentId: parent?.row.id ?? null }))
}

/** Everything after the date. @param count called for each product; null: it became an offer */
async function* content(
  trx: Trx,
  siteUrl: string,
  settings: SettingValues,
  categories: FeedCategory[],
  count: (reason: ExclusionReason | null) => void,
): AsyncGenerator<string> {
  yield ymlShop(settings, siteUrl, categories)
  const page = {
    limit: PAGE_SIZE,
    visibleCategories: categories.map((category) => category.id),
    maxImages: MAX_PICTURES,
    maxAttributes: MAX_ATTRIBUTES_READ,
    maxDescriptionLength: MAX_DESCRIPTION_READ,
  }
  let products = await listFeedProducts(trx, { ...page, after: 0 })
  while (products.length > 0) {
    let offers = ''
    for (const product of products) {
      const offer = ymlOffer(product, siteUrl, settings.shop_currency)
      count(offer === null ? 'NO_NAME' : null)
      offers += offer ?? ''
    }
    if (offers !== '') yield offers
    products = await listFeedProducts(trx, { ...page, after: products.at(-1)?.id ?? 0 })
  }
  yield YML_CLOSING
}

/** Reads the finished file back. @returns the reason to reject it; null if it is valid */
async function findFault(path: string, offers: number, signal: AbortSignal): Promise<string | null> {
  const inspection = inspectFeed()
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
