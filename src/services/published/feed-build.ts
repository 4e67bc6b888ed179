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
import type { FeedOutcome } from '../../../db/tables/sync.ts'
import type { Deps } from '../../deps.ts'
import { arrangeCategories, subtreeOf } from '../../rules/catalogue/category-tree.ts'
import {
  ATTRIBUTES_READ,
  DESCRIPTION_READ,
  type ExclusionReason,
  type FeedCategory,
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

export const FEED_FILE = 'yml-catalog.xml'
/** Products of one query, and of one turn of the event loop: few enough that requests don't notice. */
const PAGE = 100

type BuildDeps = Pick<Deps, 'config' | 'db' | 'now' | 'changes'>
type Written = {
  draft: Draft
  excluded: FeedOutcome['excluded']
  settings: SettingValues
  published: PublicationRow | undefined
}

/**
 * Builds the feed from one snapshot of the database into a temporary file, and publishes it whole or not at all: not
 * when it is malformed or has lost too many offers, nor when nothing but the date would change (contract section 8,
 * "Feed"). The caller sees to it that only one build runs at a time.
 * @param folder where the temporary file is written
 * @param signal ends the build early; it rejects then
 */
export async function buildFeed(
  deps: BuildDeps,
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
      (await faultOf(path, offers, signal))
    if (reason !== null) return { status: 'REJECTED', offers, excluded, reason }
    await publish(deps, draft, signal)
    return { status: 'PUBLISHED', offers, excluded, reason: null }
  } finally {
    await rm(path, { force: true })
  }
}

function writeDraft(deps: BuildDeps, path: string, signal: AbortSignal): Promise<Written> {
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
    const judge = (reason: ExclusionReason | null): void => {
      if (reason === null) entries += 1
      else excluded[reason] = (excluded[reason] ?? 0) + 1
    }

    async function* text(): AsyncGenerator<string> {
      yield ymlOpening(built_at, deps.config.shopTimeZone)
      for await (const piece of content(trx, deps.config.siteUrl, settings, categories, judge)) {
        yield hash.pass(piece)
      }
    }

    const sizes = await writeGzipped(path, text(), signal)
    const files = [{ name: FEED_FILE, path, ...sizes }]
    const draft: Draft = { kind: 'feed', built_at, content_hash: hash.digest(), entries, files }
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

/** Everything behind the date. `judge` hears of every product: null when it has become an offer. */
async function* content(
  trx: Trx,
  siteUrl: string,
  settings: SettingValues,
  categories: FeedCategory[],
  judge: (reason: ExclusionReason | null) => void,
): AsyncGenerator<string> {
  yield ymlShop(settings, siteUrl, categories)
  const page = {
    limit: PAGE,
    visibleCategories: categories.map((category) => category.id),
    mostImages: MAX_PICTURES,
    mostAttributes: ATTRIBUTES_READ,
    descriptionLength: DESCRIPTION_READ,
  }
  let products = await listFeedProducts(trx, { ...page, after: 0 })
  while (products.length > 0) {
    let offers = ''
    for (const product of products) {
      const offer = ymlOffer(product, siteUrl, settings.shop_currency)
      judge(offer === null ? 'NO_NAME' : null)
      offers += offer ?? ''
    }
    if (offers !== '') yield offers
    products = await listFeedProducts(trx, { ...page, after: products.at(-1)?.id ?? 0 })
  }
  yield YML_CLOSING
}

/** What is wrong with the finished file; null when nothing is. */
async function faultOf(path: string, offers: number, signal: AbortSignal): Promise<string | null> {
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
