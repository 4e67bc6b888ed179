import { databaseFault } from '../../../db/errors.ts'
import * as leases from '../../../db/queries/scraping/leases.ts'
import type { ScrapeTaskRow } from '../../../db/tables/scraping.ts'
import type { Deps } from '../../deps.ts'
import { AppError, StorefrontError } from '../../errors.ts'
import { MAX_ATTEMPTS, outcomeOf, type ScrapeResult } from '../../rules/scraping/outcomes.ts'
import { write } from '../../runtime/write.ts'
import { freshSetting } from '../settings/settings.ts'
import { scrapeProduct } from './product.ts'

/** After a crash, tasks in progress are requeued this much later. */
const LEASE_MS = 60_000
/** How long a stop waits for tasks in progress. */
const STOP_GRACE_MS = 3000
/** Requests to one host run one at a time anyway; this lets other hosts, decoding and storing overlap. */
const CONCURRENCY = 4

/** Processes all due tasks, oldest first. */
export async function runScraping(deps: Deps): Promise<void> {
  await deps.tasks.run((signal) => scrapeDueTasks(deps, signal), STOP_GRACE_MS)
}

/** The setting overrides the environment. */
async function isEnabled(deps: Deps): Promise<boolean> {
  const setting = await freshSetting(deps, 'gbstore.scraping.enabled')
  return setting === '' ? deps.config.scraping.enabled : setting === 'true'
}

type Counts = { done: number; failed: number; rescheduled: number; images: number; imagesFailed: number }

/**
 * Works until nothing is due or scraping is switched off (docs/operations.md), on several tasks at a time.
 * Each is claimed when its work begins, so that a slow one delays no other and a crash costs an attempt only of those
 * that were being worked on.
 */
async function scrapeDueTasks(deps: Deps, signal: AbortSignal): Promise<void> {
  const { db, log, config, tasks } = deps
  const startedAt = performance.now()
  const counts: Counts = { done: 0, failed: 0, rescheduled: 0, images: 0, imagesFailed: 0 }
  let outage: unknown
  const work = async () => {
    try {
      while (outage === undefined && !tasks.stopping && (await isEnabled(deps))) {
        const expired = await leases.requeueExpiredTasks(db, MAX_ATTEMPTS)
        if (expired > 0) log.warn({ expired }, 'scrape task leases expired')
        const task = await leases.claimTask(db, LEASE_MS)
        if (task === undefined) return
        await scrapeClaimed(deps, task, signal, counts)
      }
    } catch (error) {
      outage ??= error
    }
  }
  await Promise.all(Array.from({ length: Math.min(CONCURRENCY, config.scraping.batchSize) }, work))
  if (outage !== undefined && !tasks.stopping) throw outage
  if (counts.done + counts.failed + counts.rescheduled === 0) return
  log.info({ ...counts, durationMs: Math.round(performance.now() - startedAt) }, 'scraping finished')
}

/** Works on a task while its lease is extended. @throws as scrapeTask: the task is then released */
async function scrapeClaimed(deps: Deps, task: ScrapeTaskRow, signal: AbortSignal, counts: Counts): Promise<void> {
  const { db, log } = deps
  const warn = (err: unknown) => log.warn({ err }, 'scrape task lease not extended')
  const heartbeat = setInterval(() => void leases.extendLease(db, task, LEASE_MS).catch(warn), LEASE_MS / 4)
  try {
    await scrapeTask(deps, task, signal, counts)
  } catch (error) {
    await leases.releaseTask(db, task)
    throw error
  } finally {
    clearInterval(heartbeat)
  }
}

/** @throws when the process stops, and for outages of our own */
async function scrapeTask(deps: Deps, task: ScrapeTaskRow, signal: AbortSignal, counts: Counts) {
  const { log, tasks } = deps
  const line = { task: task.id, productId: task.product_id }
  const onError = (error: unknown): ScrapeResult | null => {
    if (tasks.stopping || isOutage(error)) throw error
    if (error instanceof leases.ClaimLostError) {
      log.info({ ...line, reason: error.message }, 'scrape task lost')
      return null
    }
    log.error({ ...line, err: error }, 'scrape task crashed')
    const pageFailure = new StorefrontError('Unexpected error: see the server log', { permanent: false })
    return { pageFailure, images: 0, downloaded: 0, failures: [] }
  }
  const result = await scrapeProduct(deps, task, signal).catch(onError)
  if (result === null) return
  const outcome = outcomeOf(result, task.attempts)
  await write(deps, async (tx) => {
    await leases.endAttempt(tx.db, task, outcome)
    tx.recordChange('scrapeQueue', ['all'])
  })
  counts[COUNTED_AS[outcome.status]] += 1
  counts.images += result.downloaded
  counts.imagesFailed += result.failures.length
}

const COUNTED_AS = { DONE: 'done', FAILED: 'failed', PENDING: 'rescheduled' } as const

/** Whether the database or the storage is unavailable, so that every other task would fail too. */
function isOutage(error: unknown): boolean {
  return databaseFault(error) === 'UNAVAILABLE' || (error instanceof AppError && error.status === 503)
}
