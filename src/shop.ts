import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import type { FastifyBaseLogger } from 'fastify'
import PQueue from 'p-queue'
import { type Db, openDatabase } from '../db/database.ts'
import {
  findChunk,
  findNewestPublication,
  type PublicationRow,
} from '../db/queries/published/publications.ts'
import { findOffers } from '../db/queries/stock/availability.ts'
import { PUBLICATION_KINDS, type PublicationKind } from '../db/tables/publications.ts'
import { createMailer } from './clients/mailer.ts'
import { createFileStorage } from './clients/storage/files.ts'
import { createS3Storage } from './clients/storage/s3.ts'
import type { FeedClient } from './clients/storefront/feed.ts'
import { createStorefront } from './clients/storefront/storefront.ts'
import { createSupplierClient } from './clients/supplier/client.ts'
import type { Config } from './config.ts'
import type { Deps } from './deps.ts'
import { type SettingEffect, settingEffects } from './rules/settings/keys.ts'
import { isAvailable } from './rules/stock/pricing.ts'
import { type Caches, createCaches } from './runtime/cache/caches.ts'
import type { Shown } from './runtime/cache/invalidation.ts'
import { createPublishedFiles } from './runtime/cache/published-files.ts'
import { type Change, type ChangeKind, createChanges } from './runtime/changes/changes.ts'
import { createChangeListener } from './runtime/changes/listener.ts'
import { createBoundedQueue, createKeyedQueue } from './runtime/concurrency/bounded-queue.ts'
import { createSingleFlight } from './runtime/concurrency/single-flight.ts'
import { createCoalescer, createTasks } from './runtime/concurrency/tasks.ts'
import { createProductSearch } from './runtime/search/memory-search.ts'
import { createImageWorker } from './runtime/workers/images.ts'
import { createPageParser } from './runtime/workers/page-parser.ts'
import { createPasswords } from './runtime/workers/passwords.ts'
import { updateVisibility } from './services/catalogue/category-visibility.ts'
import { requestFeedRebuild } from './services/published/feed.ts'
import { requestSitemapRebuild } from './services/published/sitemap.ts'
import { releaseIdleOrders } from './services/stock/idle.ts'

/** Less than half of the connections in the pool; a customer is told before they would give up. */
const PLACING = { concurrency: 4, maxWaiting: 1000, timeoutMs: 10_000 }
/** Each is up to 15 MB, and is decoded beside. */
const UPLOADS = { concurrency: 4, maxWaiting: 100, timeoutMs: 20_000 }
/** More would gain nothing, since the supplier is called by one at a time. */
const SUBMISSIONS_AT_ONCE = 5

/** Of one address, behind which there may be a whole office. */
const PASSWORDS = { concurrency: Math.max(4, availableParallelism()), maxWaiting: 100 }

/** Of what lists are put together of: some thousand records each. */
const PRODUCTS_BYTES = 16 * 1024 * 1024
const STAFF_PRODUCTS_BYTES = 2 * 1024 * 1024

export type Shop = {
  deps: Deps
  /** Begins to hear what other instances change; before that, nothing is cached. */
  hear(): Promise<void>
  /** Gives everything back, after the last request; ends background work first unless that was done. */
  close(): Promise<void>
}

/**
 * Builds what has a life: the one place that does, and that ends it.
 * @param databaseOptions for tests of the limits
 */
export function openShop(
  config: Config,
  log: FastifyBaseLogger,
  databaseOptions?: { queryTimeoutMs: number },
): Shop {
  const database = openDatabase(
    config.databaseUrl,
    (error) => log.warn({ err: error }, 'database connection lost'),
    databaseOptions,
  )
  const { db } = database
  const changes = createChanges()
  const caches = createCaches((ids) => readAvailability(db, ids))
  const { setTrusted } = caches
  const listener = createChangeListener(config.databaseUrl, { changes, setTrusted, log })
  const passwords = createPasswords()
  const mailer = createMailer(config)
  const storage = config.s3 ? createS3Storage(config.s3) : createFileStorage(join(config.dataDir, 'objects'))
  const storefront = createStorefront(config.scraping)
  const pages = createPageParser()
  const tasks = createTasks()
  const newest = caches.create<PublicationRow | undefined>({ staleBy: PUBLICATION_KINDS })
  const publishedFiles = (kind: PublicationKind) =>
    createPublishedFiles(join(config.dataDir, kind), {
      newest: () => newest.get(kind, () => findNewestPublication(db, kind)),
      newestNow: () => findNewestPublication(db, kind),
      chunk: (place) => findChunk(db, place),
    })
  const deps: Deps = {
    config,
    db,
    log,
    now: () => new Date(),
    changes,
    caches,
    cached: createCached(caches),
    productSearch: createProductSearch({ db, caches, tasks, log }),
    tasks,
    passwords,
    passwordQueue: createKeyedQueue(PASSWORDS),
    mailer,
    storage,
    pictures: createImageWorker(),
    uploads: createBoundedQueue(UPLOADS),
    drawing: createSingleFlight(),
    supplier: createSupplierClient(config.supplier),
    storefront,
    pages,
    scraping: createCoalescer(),
    feed: { files: publishedFiles('feed'), builds: createCoalescer() },
    sitemap: { files: publishedFiles('sitemap'), builds: createCoalescer() },
    xmlFeed: config.xmlFeedUrl === undefined ? null : feedClient(config.xmlFeedUrl),
    visibilityRuns: createCoalescer(),
    placing: createBoundedQueue(PLACING),
    submitting: new PQueue({ concurrency: SUBMISSIONS_AT_ONCE }),
  }
  changes.subscribe((made) => caches.invalidate(made))
  changes.subscribe((made, from) => {
    // The instance that wrote sees to what is published, a run at its end; the others hear when there is a new one.
    if (from !== 'here') return
    const [feed, sitemap] = [rebuildReason(made, 'feed'), rebuildReason(made, 'sitemap')]
    if (feed !== undefined) requestFeedRebuild(deps, feed)
    if (sitemap !== undefined) requestSitemapRebuild(deps, sitemap)
  })
  changes.subscribe(async (made, from) => {
    // Whoever shortens the time sees at once what that frees; otherwise a job comes by.
    if (from === 'elsewhere' || changedSetting(made, 'holds') === undefined) return
    await releaseIdleOrders(deps).catch((error) => log.warn({ err: error }, 'idle orders not released'))
  })
  changes.subscribe(async (made, from) => {
    // Whoever changes a rule sees at once what it hides.
    if (from === 'elsewhere' || !made.some(({ kind }) => kind === 'categoryFilter')) return
    await updateVisibility(deps).catch((error) => log.warn({ err: error }, 'categories not hidden by rules'))
  })
  return {
    deps,
    hear: listener.start,
    async close() {
      await tasks.stop()
      listener.stop()
      mailer.close()
      storage.close()
      storefront.close()
      await pages.close()
      await passwords.close()
      await database.close()
    },
  }
}

/** Loaded when a feed is asked for: the HTTP client is large, and a start needs none. */
function feedClient(url: string): FeedClient {
  return {
    async open(signal) {
      const { createFeedClient } = await import('./clients/storefront/feed.ts')
      return createFeedClient(url).open(signal)
    },
  }
}

/** What is kept of answers, and what makes it stale. Of settings only those count here that the catalogue shows. */
function createCached(caches: Caches): Deps['cached'] {
  const staleBy = ['category', 'brand', 'tag', 'setting'] as const
  return {
    settings: caches.create({ staleBy: ['setting'], settings: 'all' }),
    products: caches.createRecords({ staleBy, maxBytes: PRODUCTS_BYTES }),
    staffProducts: caches.createRecords({ staleBy, maxBytes: STAFF_PRODUCTS_BYTES }),
    answers: caches.create<{ json: Buffer; shown: Shown }>({
      staleBy,
      shown: ({ shown }) => shown,
      size: ({ json }) => json.byteLength,
      onlyPopular: true,
    }),
    tree: caches.create({ staleBy: ['category'] }),
    brands: caches.create({ staleBy: ['brand'] }),
    suggested: caches.create({ staleBy: ['product', 'category', 'brand'] }),
    content: {
      reviews: caches.create({ staleBy: ['review'] }),
      banners: caches.create({ staleBy: ['banner'] }),
      features: caches.create({ staleBy: ['feature'] }),
    },
    images: caches.create({ staleBy: [], keyedBy: 'image' }),
    variants: caches.create({ staleBy: [], size: (bytes) => bytes?.byteLength ?? 1 }),
    slugs: caches.create({ staleBy: ['product', 'category', 'tag'] }),
  }
}

async function readAvailability(db: Db, ids: number[]): Promise<Map<number, boolean>> {
  const offers = await findOffers(db, ids)
  return new Map(
    offers.map(({ id, active, final_price, available_quantity }) => [
      id,
      isAvailable({ active, finalPrice: final_price, availableQuantity: available_quantity }),
    ]),
  )
}

/** What shows in what is published; of settings those that say so. Whose pictures change, those products change. */
const SHOWN_IN: Record<PublicationKind, readonly ChangeKind[]> = {
  feed: ['product', 'category', 'brand'],
  sitemap: ['product', 'category', 'tag'],
}

/** Why changes ask for a new one; undefined when they don't. */
function rebuildReason(changes: Change[], published: PublicationKind): string | undefined {
  const kind = changes.find((change) => SHOWN_IN[published].includes(change.kind))?.kind
  const setting = published === 'feed' ? changedSetting(changes, 'feed') : undefined
  const changed = setting === undefined ? kind : `setting ${setting}`
  return changed && `${changed} changed`
}

function changedSetting(changes: Change[], effect: SettingEffect): string | undefined {
  const settings = changes.flatMap(({ kind, ids }) => (kind === 'setting' ? [...(ids ?? [])] : []))
  return settings.map(String).find((key) => settingEffects(key).includes(effect))
}
