import type { FastifyBaseLogger } from 'fastify'
import type PQueue from 'p-queue'
import type { Db } from '../db/database.ts'
import type { ProductFilter } from '../db/queries/catalogue/product-filter.ts'
import type { CategoryRow } from '../db/tables/categories.ts'
import type { BannerBlockRow } from '../db/tables/content.ts'
import type { FeedOutcome } from '../db/tables/sync.ts'
import type { Mailer } from './clients/mailer.ts'
import type { SupplierClient } from './clients/supplier/client.ts'
import type { Config } from './config.ts'
import type { CategoryTree } from './rules/catalogue/category-tree.ts'
import type { SitemapOutcome } from './rules/published/sitemap.ts'
import type { SettingsSnapshot } from './rules/settings/keys.ts'
import type { CacheRegion, Caches, Shown } from './runtime/caches.ts'
import type { CallerTurns } from './runtime/caller-turns.ts'
import type { Changes } from './runtime/changes.ts'
import type { KeptFiles } from './runtime/kept-files.ts'
import type { Passwords } from './runtime/passwords.ts'
import type { Lane, Tasks } from './runtime/tasks.ts'
import type { Turns } from './runtime/turns.ts'
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
  tasks: Tasks
  passwords: Passwords
  /** Passwords are tried and set a few at a time for each address: a burst leaves the others theirs. */
  passwordTurns: CallerTurns
  mailer: Mailer
  supplier: SupplierClient
  feed: Published<FeedOutcome>
  sitemap: Published<SitemapOutcome>
  /** Orders are placed a few at a time: a rush of them leaves connections for everybody else. */
  placing: Turns
  /** Submissions under way each hold a connection of their own. */
  submitting: PQueue
}

/** What is built as a whole and kept: its files here, and what builds it. */
export type Published<Outcome> = { files: KeptFiles; builds: Lane<Outcome> }

type Cached = {
  settings: CacheRegion<SettingsSnapshot>
  /** Whole answers for the public, as JSON in UTF-8: a hit costs neither SQL nor serialisation nor encoding. */
  answers: CacheRegion<{ json: Buffer; shown: Shown }>
  tree: CacheRegion<CategoryTree<CategoryRow>>
  /** How many products a filter finds: the pages of a list share it. */
  found: CacheRegion<{ filter: ProductFilter; total: number }>
  content: {
    reviews: CacheRegion<PublicReview[]>
    banners: CacheRegion<BannerBlockRow[]>
    features: CacheRegion<PublicFeatureItem[]>
  }
  slugs: CacheRegion<{ id: number; slug: string } | null>
}
