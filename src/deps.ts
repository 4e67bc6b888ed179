import type { FastifyBaseLogger } from 'fastify'
import PQueue from 'p-queue'
import { type Database, openDatabase } from '../db/database.ts'
import { createMailer, type Mailer } from './clients/mailer.ts'
import { createSupplierClient } from './clients/supplier/client.ts'
import type { Settings } from './config.ts'
import { type CacheRegion, type Caches, createCaches } from './runtime/caches.ts'
import { createPasswords, type Passwords } from './runtime/passwords.ts'
import { type CatalogueCache, createCatalogueCache } from './services/catalogue/cache.ts'
import { createOrderSubmission, type OrderSubmission } from './services/orders/submit.ts'
import { createFeed, type Feed } from './services/published/feed.ts'
import type { ConfigSnapshot } from './services/settings/settings.ts'
import { createSupplierSync, type SupplierSync } from './services/supplier/sync.ts'

/** Less than half of the connections in the pool. */
const ORDERS_AT_ONCE = 4

/** What services work with; each takes the part that it needs. */
export type Deps = {
  config: Settings
  db: Database['db']
  log: FastifyBaseLogger
  now: () => Date
  caches: Caches
  cached: {
    config: CacheRegion<ConfigSnapshot>
    catalogue: CatalogueCache
  }
  passwords: Passwords
  feed: Feed
  mailer: Mailer
  orderSubmission: OrderSubmission
  sync: SupplierSync
  /** Orders are placed a few at a time: a rush of them leaves connections for everybody else. */
  placing: PQueue
}

/**
 * Opens what the services need; `close` gives it back, after the last request.
 * @param databaseOptions for tests of the limits
 */
export function createDeps(
  config: Settings,
  log: FastifyBaseLogger,
  databaseOptions?: { queryTimeoutMs: number },
): { deps: Deps; close(): Promise<void> } {
  const database = openDatabase(
    config.databaseUrl,
    (error) => log.warn({ err: error }, 'database connection lost'),
    databaseOptions,
  )
  const caches = createCaches()
  const base = {
    config,
    db: database.db,
    log,
    now: () => new Date(),
    caches,
    cached: { config: caches.region<ConfigSnapshot>('config'), catalogue: createCatalogueCache(caches) },
  }
  const passwords = createPasswords()
  const feed = createFeed(base)
  const supplier = createSupplierClient(config.supplier)
  const sync = createSupplierSync({ ...base, feed, supplier })
  const orderSubmission = createOrderSubmission({ ...base, supplier })
  const mailer = createMailer(config)
  const deps: Deps = {
    ...base,
    passwords,
    feed,
    mailer,
    orderSubmission,
    sync,
    placing: new PQueue({ concurrency: ORDERS_AT_ONCE }),
  }
  return {
    deps,
    close: () =>
      feed
        .stop()
        .then(() => mailer.close())
        .then(() => passwords.close())
        .then(() => database.close()),
  }
}
