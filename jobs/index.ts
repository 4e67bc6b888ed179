import type { Deps } from '../src/deps.ts'
import { purgeRateLimits } from '../src/services/accounts/limits.ts'
import { updateVisibility } from '../src/services/catalogue/category-visibility.ts'
import { refreshSales } from '../src/services/catalogue/products.ts'
import { deliverDueMails, purgeMails } from '../src/services/mail/outbox.ts'
import { deleteOrphans } from '../src/services/media/orphans.ts'
import { purgeIdempotencyKeys } from '../src/services/orders/place.ts'
import { runScraping } from '../src/services/scraping/run.ts'
import { releaseIdleOrders } from '../src/services/stock/idle.ts'
import { runScheduledSync } from '../src/services/supplier/runs.ts'
import { type Job, schedule } from './run-once.ts'

/**
 * Every job of the service (specification, "Background jobs"). Each instance runs all of them: of the sync only one at
 * a time can hold the lock, the others share their work or do it twice without harm. `image-scraping` has its flag, which
 * may also be unset, in the service.
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
  { name: 'release-idle-orders', cron: '40 * * * * *', run: releaseIdleOrders },
  { name: 'deliver-mails', cron: '*/10 * * * * *', run: deliverDueMails },
  { name: 'refresh-sales', cron: '0 3 * * * *', run: refreshSales },
  { name: 'purge-mails', cron: '0 23 3 * * *', run: purgeMails },
  { name: 'purge-idempotency-keys', cron: '0 17 * * * *', run: purgeIdempotencyKeys },
  { name: 'delete-orphaned-objects', cron: '0 41 3 * * *', run: deleteOrphans },
  { name: 'purge-rate-limits', cron: '0 7 * * * *', run: purgeRateLimits },
]

type RunningJobs = {
  /** When a job's schedule runs it next. */
  nextRun(name: string): Date | null
  stop(): Promise<void>
}

/** Starts every job of this process. A stop ends the schedules; what runs ends with the tasks of the shop. */
export function startJobs(deps: Deps, jobs = JOBS): RunningJobs {
  const schedules = jobs.map((job) => schedule(job, deps))
  return {
    nextRun: (name) => schedules.find((one) => one.name === name)?.nextRun() ?? null,
    async stop() {
      for (const one of schedules) one.stop()
    },
  }
}
