import type { FastifyBaseLogger } from 'fastify'
import { configureJobs } from '../jobs/index.ts'
import type { Config } from './config.ts'
import { createDeps, type Deps, type DepsOptions } from './deps.ts'
import { updateVisibilityIfEnabled } from './services/catalogue/category-visibility.ts'
import { createAnnouncer } from './services/events/announce.ts'
import { HOLD_SETTINGS, releaseStaleOrders } from './services/stock/reservations.ts'

/** Creates the parts of the shop, and subscribes to its changes. */
export function openShop(config: Config, log: FastifyBaseLogger, options: DepsOptions = {}) {
  const shop = createDeps(config, log, configureJobs(config), options)
  subscribeToChanges(shop.deps)
  return shop
}

/** Everything that happens after a commit: caches are invalidated, new settings applied. */
function subscribeToChanges(deps: Deps): void {
  const { caches, changes, log } = deps
  const announce = createAnnouncer(deps)
  changes.subscribe((made) => {
    caches.invalidate(made)
    // After the caches: clients read a change as soon as it is announced.
    announce(made)
  })
  changes.subscribe(async (made, from) => {
    // A shorter reservation time applies at once, not only at the next run of the job.
    const isChanged = made.some(({ kind, ids }) => kind === 'setting' && HOLD_SETTINGS.some((key) => ids?.has(key)))
    if (from === 'elsewhere' || !isChanged) return
    await releaseStaleOrders(deps).catch((err) => log.warn({ err }, 'stale orders not released'))
  })
  changes.subscribe(async (made, from) => {
    if (from === 'elsewhere' || !made.some(({ kind }) => kind === 'categoryFilter')) return
    await updateVisibilityIfEnabled(deps)
  })
}
