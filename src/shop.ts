import { join } from 'node:path'
import type { FastifyBaseLogger } from 'fastify'
import { openDatabase } from '../db/database.ts'
import { findFeedChunk, findNewestFeed } from '../db/queries/published/feeds.ts'
import { createMailer } from './clients/mailer.ts'
import { createSupplierClient } from './clients/supplier/client.ts'
import type { Settings } from './config.ts'
import type { Deps } from './deps.ts'
import { createCacheListener } from './runtime/cache-listener.ts'
import { createCaches } from './runtime/caches.ts'
import { createKeptFiles } from './runtime/kept-files.ts'
import { createLimiter } from './runtime/limiter.ts'
import { createPasswords } from './runtime/passwords.ts'
import { createLane, createTasks } from './runtime/tasks.ts'

/** Less than half of the connections in the pool. */
const ORDERS_AT_ONCE = 4
/** More would gain nothing, since the supplier is called by one at a time. */
const SUBMISSIONS_AT_ONCE = 5

export type Shop = {
  deps: Deps
  /** Begins to hear what other instances change; before that, nothing is cached. */
  hear(): void
  /** Gives everything back, after the last request; ends background work first unless that was done. */
  close(): Promise<void>
}

/**
 * Builds what has a life: the one place that does, and that ends it.
 * @param databaseOptions for tests of the limits
 */
export function openShop(
  config: Settings,
  log: FastifyBaseLogger,
  databaseOptions?: { queryTimeoutMs: number },
): Shop {
  const database = openDatabase(
    config.databaseUrl,
    (error) => log.warn({ err: error }, 'database connection lost'),
    databaseOptions,
  )
  const { db } = database
  const caches = createCaches()
  const listener = createCacheListener(config.databaseUrl, caches, log)
  const passwords = createPasswords()
  const mailer = createMailer(config)
  const tasks = createTasks()
  const newestFeed = caches.region<Awaited<ReturnType<typeof findNewestFeed>>>('feed')
  const deps: Deps = {
    config,
    db,
    log,
    now: () => new Date(),
    caches,
    cached: {
      config: caches.region('config'),
      answers: caches.region('catalogue'),
      tree: caches.region('catalogue'),
      found: caches.region('catalogue'),
      slugs: caches.region('catalogue'),
    },
    tasks,
    passwords,
    mailer,
    supplier: createSupplierClient(config.supplier),
    feedFiles: createKeptFiles(join(config.dataDir, 'feed'), {
      newest: () => newestFeed.get('newest', () => findNewestFeed(db)),
      newestNow: () => findNewestFeed(db),
      chunk: (id, position) => findFeedChunk(db, id, position),
    }),
    feedBuilds: createLane(),
    placing: createLimiter(ORDERS_AT_ONCE),
    submitting: createLimiter(SUBMISSIONS_AT_ONCE),
  }
  return {
    deps,
    hear: listener.start,
    async close() {
      await tasks.stop()
      listener.stop()
      mailer.close()
      await passwords.close()
      await database.close()
    },
  }
}
