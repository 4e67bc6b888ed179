import { availableParallelism, hostname } from 'node:os'
import type { FastifyBaseLogger } from 'fastify'
import { openDatabase } from '../db/database.ts'
import { readFigures } from '../db/queries/operations/figures.ts'
import { findNewestPublication, listChunks, type PublicationRow } from '../db/queries/published/publications.ts'
import type { PublicationKind } from '../db/tables/publications.ts'
import type { FeedOutcome } from '../db/tables/sync.ts'
import { createCached } from './cached.ts'
import { createMailer } from './clients/mailer.ts'
import { createStorage } from './clients/storage/configured.ts'
import { createStorefront } from './clients/storefront/storefront.ts'
import { createSupplierFeedClient } from './clients/storefront/supplier-feed.ts'
import { createSupplierClient } from './clients/supplier/client.ts'
import { createWebhookSender } from './clients/webhooks.ts'
import type { Config } from './config.ts'
import type { JobFlag } from './rules/operations/jobs.ts'
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

/** Less than half of the database's connections, so that a rush of orders leaves some to other requests. */
const ORDERS = { concurrency: 4, maxWaiting: 1000, timeoutMs: 6000 }
/** An upload takes up to 15 MB of memory, and more while it is decoded. */
const UPLOADS = { concurrency: 4, maxWaiting: 100, timeoutMs: 20_000 }
/** Per address, which a whole office may share. */
const PASSWORDS = { concurrency: Math.max(4, availableParallelism()), maxWaiting: 100 }

/** A background job (docs/operations.md), as configured. */
export type Job = {
  name: string
  /** The setting that switches the schedule off. */
  flag: JobFlag
} & JobWork

/** When a job runs, and what it does. */
export type JobWork = {
  description: string
  /** Cron pattern with seconds, in UTC; or milliseconds between the end of a run and the next one. */
  schedule: { cron: string } | { pauseMs: number }
  /** While its setting is empty; default: true. */
  enabledByDefault?: boolean
} & (
  | { run(deps: Deps): Promise<void> }
  | {
      /**
       * For work that can also be started in another way, and therefore records its job runs itself.
       * @throws AppError 409 while it is running
       */
      start(deps: Deps, dueAt: Date | null): Promise<{ jobRunId: number; finished: Promise<void> }>
    }
)

/** How the build of a feed or the sitemap ended. `entries`: its offers or addresses. */
export type BuildOutcome = Omit<FeedOutcome, 'offers'> & { entries: number }

export type DepsOptions = {
  /** For tests of timeouts. */
  queryTimeoutMs?: number
  /** For quick tests. */
  passwordCost?: number
}

/** What services work with. */
export type Deps = ReturnType<typeof createDeps>['deps']

/** Creates everything that lives as long as the process. */
export function createDeps(
  config: Config,
  log: FastifyBaseLogger,
  jobs: readonly Job[],
  { queryTimeoutMs, passwordCost }: DepsOptions,
) {
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
  const tasks = createTasks()
  function setTrusted(trusted: boolean): void {
    caches.setTrusted(trusted)
    // What other instances changed in the meantime is unknown.
    if (trusted) events.resyncAll()
  }
  const listener = createChangeListener(
    config.databaseUrl,
    changes,
    { setTrusted, onSilence: database.suspectSilence },
    log,
  )
  const newest = caches.create<PublicationRow | undefined>('publications')
  const publication = (kind: PublicationKind) => ({
    published: createPublished({
      newest: () => newest.get(kind, () => findNewestPublication(db, kind)),
      chunks: (id) => listChunks(db, id),
    }),
    builds: createSingleFlight<BuildOutcome>(),
  })
  const deps = {
    config,
    db,
    log,
    now: () => new Date(),
    /** Names this process among the instances. */
    instance: `${hostname()}:${process.pid}`,
    jobs,
    metrics: createMetrics(jobs),
    /** Figures of the database, for metrics. */
    figures: createFigures(
      () => readFigures(db),
      (err) => log.warn({ err }, 'metrics of the database not read'),
    ),
    /** Connections to the database. */
    poolCounts: database.counts,
    changes,
    /** The live connections of this instance and their topics. */
    events,
    /** All caches together; services read `cached` and invalidate nothing by hand. */
    caches,
    cached: createCached(caches),
    productSearch: createProductSearch({ db, caches, tasks, log }),
    tasks,
    passwords: createPasswords({ cost: passwordCost }),
    /** Keyed by client address, so that a burst of logins from one doesn't delay the others. */
    passwordQueue: createKeyedQueue(PASSWORDS),
    mailer: createMailer(config),
    webhookSender: createWebhookSender(config.webhookAllowedHosts),
    storage: createStorage(config),
    imageWorker: createImageWorker(),
    /** Bounds the uploads that are in memory. */
    uploadQueue: createBoundedQueue(UPLOADS),
    supplier: createSupplierClient(config.supplier, () => requestContext.getStore()?.traceparent),
    /** Pages and images of storefronts, for scraping. */
    storefront: createStorefront(config.scraping),
    pageParser: createPageParser(),
    htmlSanitizer: createHtmlSanitizer(),
    publications: {
      feed: publication('feed'),
      'google-merchant': publication('google-merchant'),
      sitemap: publication('sitemap'),
    },
    /** Null when no XML feed is configured. */
    supplierFeed:
      config.xmlFeedUrl === undefined
        ? null
        : createSupplierFeedClient(config.xmlFeedUrl, config.scraping.allowedHosts),
    visibilityRuns: createSingleFlight<void>(),
    /** Bounds the database connections that placing orders takes. */
    orderQueue: createBoundedQueue(ORDERS),
  }
  return {
    deps,
    /** Connects the listener for changes of other instances; nothing is cached before. */
    listen: listener.start,
    /** Stops background work and closes all connections. Call it after the last request. */
    async close(): Promise<void> {
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
