import type { FastifyBaseLogger } from 'fastify'
import type PQueue from 'p-queue'
import type { Db } from '../db/database.ts'
import type { CategoryRow } from '../db/tables/categories.ts'
import type { BannerBlockRow } from '../db/tables/content.ts'
import type { ImageRow } from '../db/tables/images.ts'
import type { FeedOutcome } from '../db/tables/sync.ts'
import type { Mailer } from './clients/mailer.ts'
import type { Storage } from './clients/storage/storage.ts'
import type { FeedClient } from './clients/storefront/feed.ts'
import type { Storefront } from './clients/storefront/storefront.ts'
import type { SupplierClient } from './clients/supplier/client.ts'
import type { Config } from './config.ts'
import type { CategoryTree } from './rules/catalogue/category-tree.ts'
import type { SitemapOutcome } from './rules/published/sitemap.ts'
import type { SettingsSnapshot } from './rules/settings/keys.ts'
import type { Cache } from './runtime/cache/cache.ts'
import type { Caches } from './runtime/cache/caches.ts'
import type { Shown } from './runtime/cache/invalidation.ts'
import type { PublishedFiles } from './runtime/cache/published-files.ts'
import type { RecordCache } from './runtime/cache/record-cache.ts'
import type { Changes } from './runtime/changes/changes.ts'
import type { BoundedQueue, KeyedQueue } from './runtime/concurrency/bounded-queue.ts'
import type { SingleFlight } from './runtime/concurrency/single-flight.ts'
import type { Coalescer, Tasks } from './runtime/concurrency/tasks.ts'
import type { ProductSearch } from './runtime/search/product-search.ts'
import type { ImageWorker } from './runtime/workers/images.ts'
import type { PageParser } from './runtime/workers/page-parser.ts'
import type { Passwords } from './runtime/workers/passwords.ts'
import type { PublicFeatureItem } from './schemas/feature-items.ts'
import type { PublicReview } from './schemas/reviews.ts'

/** What services work with; each takes the part that it needs. Built and closed in shop.ts. */
export type Deps = {
  config: Config
  db: Db
  log: FastifyBaseLogger
  now: () => Date
  changes: Changes
  caches: Caches
  cached: Cached
  productSearch: ProductSearch
  tasks: Tasks
  passwords: Passwords
  /** Passwords are tried and set a few at a time for each address: a burst leaves the others theirs. */
  passwordQueue: KeyedQueue
  mailer: Mailer
  /** Where images lie. */
  storage: Storage
  pictures: ImageWorker
  /** A few uploads at a time: each is as a whole in the memory. */
  uploads: BoundedQueue
  /** Variants of images that are being made. */
  drawing: SingleFlight<Buffer | null>
  supplier: SupplierClient
  /** Pages and pictures of storefronts. */
  storefront: Storefront
  /** Finds on the pages what they show. */
  pages: PageParser
  /** One run of the scraper at a time. */
  scraping: Coalescer<void>
  feed: Published<FeedOutcome>
  sitemap: Published<SitemapOutcome>
  /** The supplier's XML feed; null: none is configured. */
  xmlFeed: FeedClient | null
  /** Which categories are to be hidden is found out by one at a time. */
  visibilityRuns: Coalescer<void>
  /** Orders are placed a few at a time: a rush of them leaves connections for everybody else. */
  placing: BoundedQueue
  /** Submissions under way each hold a connection of their own. */
  submitting: PQueue
}

/** What is built as a whole and kept: its files here, and what builds it. */
export type Published<Outcome> = { files: PublishedFiles; builds: Coalescer<Outcome> }

/** Records by the words of their names. */
export type SuggestedNames = {
  categories: { words: string; record: { id: number; name: string; slug: string } }[]
  brands: { words: string; record: { id: number; name: string } }[]
}

type Cached = {
  settings: Cache<SettingsSnapshot>
  /** Products as lists show them to the public, or to staff: a list that is made anew is put together of these. */
  products: RecordCache
  staffProducts: RecordCache
  /** Whole answers for the public, as JSON in UTF-8: a hit costs neither SQL nor serialisation nor encoding. */
  answers: Cache<{ json: Buffer; shown: Shown }>
  tree: Cache<CategoryTree<CategoryRow>>
  /** The names of all brands. */
  brands: Cache<ReadonlyMap<number, string>>
  /** What completions are looked for among. */
  suggested: Cache<SuggestedNames>
  content: {
    reviews: Cache<PublicReview[]>
    banners: Cache<BannerBlockRow[]>
    features: Cache<PublicFeatureItem[]>
  }
  images: Cache<ImageRow | null>
  /** By the keys of the objects, which never change. */
  variants: Cache<Buffer | null>
  slugs: Cache<{ id: number; slug: string } | null>
}
