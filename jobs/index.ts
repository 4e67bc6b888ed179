import type { Deps } from '../src/deps.ts'
import { purgeRateLimits } from '../src/services/accounts/rate-limits.ts'
import { updateVisibility } from '../src/services/catalogue/category-visibility.ts'
import { refreshSales } from '../src/services/catalogue/products.ts'
import { deliverDueMails, purgeMails } from '../src/services/mail/mail.ts'
import { drawVariantsAhead } from '../src/services/media/draw-ahead.ts'
import { deleteOrphans } from '../src/services/media/orphans.ts'
import { purgeIdempotencyKeys } from '../src/services/orders/place.ts'
import { rebuildOverduePublications } from '../src/services/published/download.ts'
import { runScraping } from '../src/services/scraping/run.ts'
import { releaseStaleOrders } from '../src/services/stock/reservations.ts'
import { runScheduledSync } from '../src/services/supplier/runs.ts'
import { type Job, schedule } from './run-once.ts'

const REBUILD_PAUSE_MS = 30_000

/**
 * All background jobs (specification, "Background jobs"). Every instance runs them: a lock admits one sync at a time, the
 * others share their work or are idempotent. `image-scraping` reads its flag, which may be unset, in its service.
 */
export const JOBS: Job[] = [
  {
    name: 'supplier-sync',
    cron: ({ syncCron }) => syncCron,
    flag: 'job_sync_enabled',
    run: runScheduledSync,
  },
  { name: 'image-scraping', pauseMs: ({ scraping }) => scraping.jobDelayMs, run: runScraping },
  {
    name: 'category-visibility',
    cron: ({ visibilityCron }) => visibilityCron,
    flag: 'job_category_visibility_enabled',
    run: updateVisibility,
  },
  { name: 'draw-variants-ahead', pauseMs: () => 10_000, run: drawVariantsAhead },
  { name: 'release-idle-orders', cron: '40 * * * * *', run: releaseStaleOrders },
  { name: 'deliver-mails', cron: '*/10 * * * * *', run: deliverDueMails },
  { name: 'rebuild-publications', pauseMs: () => REBUILD_PAUSE_MS, run: rebuildOverduePublications },
  { name: 'refresh-sales', cron: '0 3 * * * *', run: refreshSales },
  { name: 'purge-mails', cron: '0 23 3 * * *', run: purgeMails },
  { name: 'purge-idempotency-keys', cron: '0 17 * * * *', run: purgeIdempotencyKeys },
  { name: 'delete-orphaned-objects', cron: '0 41 3 * * *', run: deleteOrphans },
  { name: 'purge-rate-limits', cron: '0 7 * * * *', run: purgeRateLimits },
]

type RunningJobs = {
  /** Time of the job's next run. */
  nextRun(name: string): Date | null
  stop(): Promise<void>
}

/** Starts the schedules. Stopping them doesn't wait for runs in progress, which are tasks of the shop. */
export function startJobs(deps: Deps, jobs = JOBS): RunningJobs {
  const schedules = jobs.map((job) => schedule(job, deps))
  return {
    nextRun: (name) => schedules.find((one) => one.name === name)?.nextRun() ?? null,
    async stop() {
      for (const one of schedules) one.stop()
    },
  }
}
