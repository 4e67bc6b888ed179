import type { FastifyBaseLogger } from 'fastify'
import { type Database, openDatabase } from '../db/database.ts'
import { createSupplierClient } from '../plugins/supplier.ts'
import { type CacheRegion, type Caches, createCaches } from './caches.ts'
import type { Settings } from './config.ts'
import { createPasswords, type Passwords } from './passwords.ts'
import { type CatalogueCache, createCatalogueCache } from './services/catalogue-cache.ts'
import type { ConfigSnapshot } from './services/config.ts'
import { createSupplierSync, type SupplierSync } from './services/supplier-sync.ts'
import { createFeed, type Feed } from './services/yml-feed.ts'

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
  sync: SupplierSync
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
  const deps: Deps = { ...base, passwords, feed, sync }
  return {
    deps,
    close: () =>
      feed
        .stop()
        .then(() => passwords.close())
        .then(() => database.close()),
  }
}
