import type { FastifyBaseLogger } from 'fastify'
import type PQueue from 'p-queue'
import type { Database, Db } from '../db/database.ts'
import type { Figure } from '../db/queries/operations/figures.ts'
import type { PublicationKind } from '../db/tables/publications.ts'
import type { FeedOutcome } from '../db/tables/sync.ts'
import type { Cached } from './cached.ts'
import type { Mailer } from './clients/mailer.ts'
import type { Storage } from './clients/storage/storage.ts'
import type { FeedClient } from './clients/storefront/feed.ts'
import type { Storefront } from './clients/storefront/storefront.ts'
import type { SupplierClient } from './clients/supplier/client.ts'
import type { WebhookSender } from './clients/webhooks.ts'
import type { Config } from './config.ts'
import type { SettingKey } from './rules/settings/keys.ts'
import type { Caches } from './runtime/cache/caches.ts'
import type { Published } from './runtime/cache/publications.ts'
import type { Changes } from './runtime/changes/changes.ts'
import type { BoundedQueue, KeyedQueue } from './runtime/concurrency/bounded-queue.ts'
import type { SingleFlight } from './runtime/concurrency/single-flight.ts'
import type { Tasks } from './runtime/concurrency/tasks.ts'
import type { EventHub } from './runtime/live-events.ts'
import type { Figures, Metrics } from './runtime/metrics.ts'
import type { ProductSearch } from './runtime/search/product-search.ts'
import type { HtmlSanitizer, PageParser } from './runtime/workers/html.ts'
import type { ImageWorker } from './runtime/workers/images.ts'
import type { Passwords } from './runtime/workers/passwords.ts'

/** A background job (specification, "Background jobs"), as configured; jobs/index.ts lists them. */
export type Job = {
  name: string
  description: string
  /** Cron pattern with seconds, in UTC; or milliseconds between the end of a run and the next one. */
  schedule: { cron: string } | { pauseMs: number }
  /** The setting that switches the schedule off. */
  flag: SettingKey
  /** While the setting is empty; default: true. */
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

/** What services work with. Created and closed in shop.ts. */
export type Deps = {
  config: Config
  db: Db
  log: FastifyBaseLogger
  now: () => Date
  /** Names this process among the instances. */
  instance: string
  jobs: readonly Job[]
  metrics: Metrics
  /** Figures of the database, for metrics. */
  figures: Figures<Figure[]>
  /** Connections to the database. */
  poolCounts: Database['counts']
  changes: Changes
  /** The live connections of this instance and their topics. */
  events: EventHub
  /** All caches together; services read `cached` and invalidate nothing by hand. */
  caches: Caches
  cached: Cached
  productSearch: ProductSearch
  tasks: Tasks
  passwords: Passwords
  /** Keyed by client address, so that a burst of logins from one doesn't delay the others. */
  passwordQueue: KeyedQueue
  mailer: Mailer
  webhookSender: WebhookSender
  storage: Storage
  imageWorker: ImageWorker
  /** Bounds the uploads that are in memory. */
  uploadQueue: BoundedQueue
  supplier: SupplierClient
  /** Pages and images of storefronts, for scraping. */
  storefront: Storefront
  pageParser: PageParser
  htmlSanitizer: HtmlSanitizer
  scrapeRuns: SingleFlight<void>
  publications: Record<
    PublicationKind,
    { published: () => Promise<Published | undefined>; builds: SingleFlight<BuildOutcome> }
  >
  /** Null when no XML feed is configured. */
  xmlFeed: FeedClient | null
  visibilityRuns: SingleFlight<void>
  /** Bounds the database connections that placing orders takes. */
  orderQueue: BoundedQueue
  /** Bounds the database connections that submissions hold while the supplier answers. */
  submissionQueue: PQueue
}

/** How the build of a feed or the sitemap ended. `entries`: its offers or addresses. */
export type BuildOutcome = Omit<FeedOutcome, 'offers'> & { entries: number }
