import { availableParallelism, hostname } from 'node:os'
import type { FastifyBaseLogger } from 'fastify'
import PQueue from 'p-queue'
import { openDatabase } from '../db/database.ts'
import { readFigures } from '../db/queries/operations/figures.ts'
import { findNewestPublication, listChunks, type PublicationRow } from '../db/queries/published/publications.ts'
import { PUBLICATION_KINDS, type PublicationKind } from '../db/tables/publications.ts'
import { configureJobs } from '../jobs/index.ts'
import { createCached } from './cached.ts'
import { createMailer } from './clients/mailer.ts'
import { createStorage } from './clients/storage/configured.ts'
import { createFeedClient } from './clients/storefront/feed.ts'
import { createStorefront } from './clients/storefront/storefront.ts'
import { createSupplierClient } from './clients/supplier/client.ts'
import { createWebhookSender } from './clients/webhooks.ts'
import type { Config } from './config.ts'
import type { Deps } from './deps.ts'
import { createCaches } from './runtime/cache/caches.ts'
import { createPublished } from './runtime/cache/publications.ts'
import { createChanges } from './runtime/changes/changes.ts'
import { createChangeListener } from './runtime/changes/listener.ts'
import { createBoundedQueue, createKeyedQueue } from './runtime/concurrency/bounded-queue.ts'
import { createSingleFlight } from './runtime/concurrency/single-flight.ts'
import { createTasks } from './runtime/concurrency/tasks.ts'
import { createEventHub } from './runtime/live-events.ts'
import { createFigures, createMetrics } from './runtime/metrics.ts'
import { requestContext } from './runtime/request-context.ts'
import { createProductSearch } from './runtime/search/product-search.ts'
import { createHtmlSanitizer, createPageParser } from './runtime/workers/html.ts'
import { createImageWorker } from './runtime/workers/images.ts'
import { createPasswords } from './runtime/workers/passwords.ts'
import { subscribeToChanges } from './subscriptions.ts'

/** Less than half of the database's connections, so that a rush of orders leaves some to other requests. */
const ORDERS = { concurrency: 4, maxWaiting: 1000, timeoutMs: 6000 }
/** An upload takes up to 15 MB of memory, and more while it is decoded. */
const UPLOADS = { concurrency: 4, maxWaiting: 100, timeoutMs: 20_000 }
/** The supplier is called sequentially, so more would gain nothing. */
const MAX_CONCURRENT_SUBMISSIONS = 5
/** Per address, which a whole office may share. */
const PASSWORDS = { concurrency: Math.max(4, availableParallelism()), maxWaiting: 100 }

export type Shop = {
  deps: Deps
  /** Connects the listener for changes of other instances; nothing is cached before. */
  listen(): Promise<void>
  /** Stops background work and closes all connections. Call it after the last request. */
  close(): Promise<void>
}

/**
 * Creates everything that has to be closed, and closes it.
 * @param options.queryTimeoutMs for tests of timeouts
 * @param options.passwordCost for quick tests
 */
export function openShop(
  config: Config,
  log: FastifyBaseLogger,
  { queryTimeoutMs, passwordCost }: { queryTimeoutMs?: number; passwordCost?: number } = {},
): Shop {
  const database = openDatabase(
    config.databaseUrl,
    // The connection may have been opened for a request that ended long ago.
    (error) => requestContext.exit(() => log.warn({ err: error }, 'database connection lost')),
    { queryTimeoutMs },
  )
  const { db } = database
  const changes = createChanges()
  const caches = createCaches()
  const events = createEventHub()
  const setTrusted = (trusted: boolean): void => {
    caches.setTrusted(trusted)
    // What other instances changed in the meantime is unknown.
    if (trusted) events.resyncAll()
  }
  const listener = createChangeListener(config.databaseUrl, {
    changes,
    setTrusted,
    log,
    onSilence: database.suspectSilence,
  })
  const tasks = createTasks()
  const newest = caches.create<PublicationRow | undefined>('publications', { staleBy: PUBLICATION_KINDS })
  const published = (kind: PublicationKind): Deps['publications'][PublicationKind] => ({
    published: createPublished({
      newest: () => newest.get(kind, () => findNewestPublication(db, kind)),
      chunks: (id) => listChunks(db, id),
    }),
    builds: createSingleFlight(),
  })
  const jobs = configureJobs(config)
  const deps: Deps = {
    config,
    db,
    log,
    now: () => new Date(),
    instance: `${hostname()}:${process.pid}`,
    jobs,
    metrics: createMetrics(jobs),
    figures: createFigures(
      () => readFigures(db),
      (err) => log.warn({ err }, 'metrics of the database not read'),
    ),
    poolCounts: database.counts,
    changes,
    events,
    caches,
    cached: createCached(caches),
    productSearch: createProductSearch({ db, caches, tasks, log }),
    tasks,
    passwords: createPasswords({ cost: passwordCost }),
    passwordQueue: createKeyedQueue(PASSWORDS),
    mailer: createMailer(config),
    webhookSender: createWebhookSender(config.webhookAllowedHosts),
    storage: createStorage(config),
    imageWorker: createImageWorker(),
    uploadQueue: createBoundedQueue(UPLOADS),
    supplier: createSupplierClient(config.supplier, () => requestContext.getStore()?.traceparent),
    storefront: createStorefront(config.scraping),
    pageParser: createPageParser(),
    htmlSanitizer: createHtmlSanitizer(),
    scrapeRuns: createSingleFlight(),
    publications: {
      feed: published('feed'),
      'google-merchant': published('google-merchant'),
      sitemap: published('sitemap'),
    },
    xmlFeed: config.xmlFeedUrl === undefined ? null : createFeedClient(config.xmlFeedUrl, config.scraping.allowedHosts),
    visibilityRuns: createSingleFlight(),
    orderQueue: createBoundedQueue(ORDERS),
    submissionQueue: new PQueue({ concurrency: MAX_CONCURRENT_SUBMISSIONS }),
  }
  subscribeToChanges(deps)
  return {
    deps,
    listen: listener.start,
    async close() {
      await tasks.stop()
      listener.stop()
      deps.webhookSender.close()
      deps.storage.close()
      deps.storefront.close()
      await deps.pageParser.close()
      await deps.htmlSanitizer.close()
      await deps.passwords.close()
      await database.close()
    },
  }
}
