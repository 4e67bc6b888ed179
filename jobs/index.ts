import { setTimeout as delay } from 'node:timers/promises'
import { Cron } from 'croner'
import type { Deps, Job, JobWork } from '../src/deps.ts'
import { JOBS, type JobName } from '../src/rules/operations/jobs.ts'
import { updateVisibility } from '../src/services/catalogue/category-visibility.ts'
import { refreshSales } from '../src/services/catalogue/products.ts'
import { deliverDueMails } from '../src/services/mail/mail.ts'
import { deleteOrphans } from '../src/services/media/store.ts'
import { drawVariantsAhead } from '../src/services/media/variants.ts'
import { checkAlerts } from '../src/services/operations/alerts.ts'
import { purge, runDueJob } from '../src/services/operations/jobs.ts'
import { PIPELINE } from '../src/services/pipeline/runs.ts'
import { eraseExpired } from '../src/services/privacy/erasure.ts'
import { rebuildOutdated, runFeedRebuild } from '../src/services/published/publishing.ts'
import { recoverSilentRuns } from '../src/services/runs.ts'
import { runScraping } from '../src/services/scraping/run.ts'
import { releaseStaleOrders } from '../src/services/stock/reservations.ts'
import { SYNC, startSync } from '../src/services/supplier/sync.ts'
import { startDeliveries } from '../src/services/webhooks/deliver.ts'

/** Each run writes to the database. */
const MIN_PAUSE_MS = 100

/** All background jobs (docs/operations.md). A job runs on one instance at a time. */
export function configureJobs(config: Deps['config']): Job[] {
  const jobs: Record<JobName, JobWork> = {
    'supplier-sync': {
      description: "Copy the supplier's categories, brands and products",
      schedule: { cron: config.syncCron },
      start: (deps, dueAt) => startSync(deps, dueAt === null ? 'MANUAL' : 'CRON', {}, dueAt),
    },
    'category-visibility': {
      description: 'Hide categories without active products, and those that match a category filter',
      schedule: { cron: config.visibilityCron },
      run: updateVisibility,
    },
    'feed-rebuild': {
      description: 'Rebuild the feeds, so that their availability is current without a sync',
      schedule: { cron: '30 */30 * * * *' },
      run: runFeedRebuild,
    },
    'overdue-rebuilds': {
      description: 'Rebuild feeds and sitemap that changes have made out of date',
      schedule: { pauseMs: 30_000 },
      run: rebuildOutdated,
    },
    'image-scraping': {
      description: "Download images from the supplier's storefront; switching it off also ends manual runs",
      schedule: { pauseMs: Math.max(config.scraping.jobDelayMs, MIN_PAUSE_MS) },
      enabledByDefault: config.scraping.enabled,
      run: runScraping,
    },
    'image-variants': {
      description: 'Draw the common sizes of new images while no client is waiting for one',
      schedule: { pauseMs: 10_000 },
      run: drawVariantsAhead,
    },
    'mail-delivery': {
      description: 'Send due mails',
      schedule: { cron: '*/10 * * * * *' },
      run: deliverDueMails,
    },
    'webhook-delivery': {
      description: 'Send due webhook deliveries',
      schedule: { cron: '*/5 * * * * *' },
      // A run ends when the deliveries have begun: a slow receiver must not delay those to others.
      run: async (deps) => void (await startDeliveries(deps)),
    },
    alerts: {
      description: 'Mail operators when a problem begins and when it is over',
      schedule: { cron: '50 * * * * *' },
      run: checkAlerts,
    },
    'order-release': {
      description: 'Release the stock reserved by new orders that nobody has processed',
      schedule: { cron: '40 * * * * *' },
      run: releaseStaleOrders,
    },
    'run-recovery': {
      description: 'Record the end of syncs and pipeline runs whose process died',
      schedule: { cron: '20 * * * * *' },
      run: (deps) => recoverSilentRuns(deps, [SYNC, PIPELINE]),
    },
    popularity: {
      description: 'Count how often products were ordered in the last 90 days',
      schedule: { cron: '0 3 * * * *' },
      run: refreshSales,
    },
    purge: {
      description:
        'Delete old mails, alerts, runs, webhook deliveries, idempotency keys, rate limit counters and password reset links',
      schedule: { cron: '0 7 * * * *' },
      run: purge,
    },
    'privacy-retention': {
      description: 'Erase the customers of old orders, and delete old contact requests, as the settings say',
      schedule: { cron: '0 17 4 * * *' },
      run: eraseExpired,
    },
    'orphaned-objects': {
      description: 'Delete stored files that no image refers to',
      schedule: { cron: '0 41 3 * * *' },
      run: deleteOrphans,
    },
  }
  return JOBS.map(({ name, flag }) => ({ name, flag, ...jobs[name] }))
}

/** Starts the schedules. @returns stops them, without waiting for runs in progress, which are tasks of the shop */
export function startJobs(deps: Deps): () => void {
  const stops = deps.jobs.map((job) => schedule(job, deps))
  return () => {
    for (const stop of stops) stop()
  }
}

/**
 * Runs a job on its schedule. Unlike croner, runDueJob takes care that a job never rejects and never runs twice.
 * @returns stops the schedule
 */
function schedule(job: Job, deps: Deps): () => void {
  const tick = async (dueAt: Date | null): Promise<void> => {
    if (!deps.tasks.stopping) await runDueJob(deps, job, dueAt)
  }
  if ('pauseMs' in job.schedule) return repeat(job.schedule.pauseMs, () => tick(null))
  const cron = new Cron(job.schedule.cron, { timezone: 'UTC', name: job.name }, () => {
    void tick(dueAt)
    dueAt = cron.nextRun()
  })
  let dueAt = cron.nextRun()
  return () => cron.stop()
}

/** Runs a job at once and with a pause after each run, which a cron pattern can't express. @returns stops it */
function repeat(pauseMs: number, tick: () => Promise<void>): () => void {
  const stopping = new AbortController()
  async function run(): Promise<void> {
    while (!stopping.signal.aborted) {
      await tick()
      await delay(pauseMs, undefined, { signal: stopping.signal }).catch(() => {})
    }
  }
  void run()
  return () => stopping.abort()
}
