import { type AdvisoryLock, tryLock } from '../../../db/advisory-locks.ts'
import { clearSeenProducts } from '../../../db/queries/supplier/full-loads.ts'
import * as ledger from '../../../db/queries/supplier/runs.ts'
import { askForFullLoads } from '../../../db/queries/supplier/states.ts'
import type { SyncRunRow, SyncTrigger } from '../../../db/tables/sync.ts'
import type { Deps } from '../../deps.ts'
import { type AppError, conflict } from '../../errors.ts'
import { updateVisibility } from '../catalogue/category-visibility.ts'
import { rebuildFeed } from '../published/feed.ts'
import { rebuildSitemap } from '../published/sitemap.ts'
import { type Run, readLists } from './lists.ts'
import { createProgress } from './progress.ts'

const KEEP_RUNS_MS = 30 * 24 * 3_600_000
/** After this many changes the planner's statistics are refreshed. */
const MIN_CHANGES_FOR_STATISTICS = 1000

type SyncDeps = Pick<
  Deps,
  'db' | 'log' | 'now' | 'changes' | 'config' | 'supplier' | 'tasks' | 'visibilityRuns' | 'feed' | 'sitemap'
>

export type SyncOptions = {
  /** Everything is asked for; a run that fails leaves that to the next. */
  full?: boolean
  /** An operator's word that the products are gone that the last full load missed; needs a full load, so it is one. */
  acceptVanished?: boolean
}

type StartedRun = {
  runId: number
  /** Resolves when the run has ended, well or not, and what is published after it is built. Never rejects. */
  finished: Promise<void>
}

/**
 * Begins to copy the supplier's catalogue: categories, then brands, then products (specification, "Run order"; contract
 * section 8, "Sync"). A stop ends the run after its current page; it counts as failed and the next one starts over.
 * @throws AppError 409 SYNC_RUNNING with the id of the run in the way, on whichever instance it is; 503 when stopping
 */
export async function startSync(
  deps: SyncDeps,
  trigger: SyncTrigger,
  options: SyncOptions = {},
): Promise<StartedRun> {
  const begun = Promise.withResolvers<number>()
  const finished = deps.tasks
    .run(async (stop) => {
      const lock = await tryLock(deps.config.databaseUrl, 'supplierSync')
      if (lock === null) throw await alreadyRunning(deps)
      const run = await beginRun(deps, trigger, lock)
      begun.resolve(run.id)
      await runToEnd(deps, run, options, lock, AbortSignal.any([stop, lock.lost]))
    })
    .catch(async (error: unknown) => {
      begun.reject(error)
      const runId = await begun.promise.catch(() => null)
      if (runId !== null) deps.log.error({ err: error, runId }, 'sync run could not be recorded')
    })
  return { runId: await begun.promise, finished }
}

/** Records runs whose process is gone as failed, unless one is under way somewhere. */
export async function recoverSync(deps: SyncDeps): Promise<void> {
  const lock = await tryLock(deps.config.databaseUrl, 'supplierSync')
  if (lock === null) return
  await failInterrupted(deps).finally(() => lock.release())
}

/** The other run's row appears a moment after its lock. */
async function alreadyRunning({ db }: SyncDeps): Promise<AppError> {
  const run = await ledger.findRunningRun(db)
  const message = run ? `Sync run ${run.id} is under way` : 'A sync run is just beginning'
  return conflict('SYNC_RUNNING', message, { body: run ? { runId: run.id } : {} })
}

/** Whoever holds the lock knows that a run still marked as running died. */
async function failInterrupted({ db, log, now }: SyncDeps): Promise<void> {
  const interrupted = await ledger.failInterruptedRuns(db, now())
  if (interrupted > 0) log.warn({ interrupted }, 'an earlier sync run had been interrupted')
}

async function beginRun(deps: SyncDeps, trigger: SyncTrigger, lock: AdvisoryLock): Promise<SyncRunRow> {
  const { db, log, now } = deps
  try {
    await failInterrupted(deps)
    const run = await ledger.insertRun(db, trigger, now())
    log.info({ runId: run.id, trigger }, 'sync run started')
    return run
  } catch (error) {
    await lock.release()
    throw error
  }
}

async function runToEnd(
  deps: SyncDeps,
  row: SyncRunRow,
  { full = false, acceptVanished = false }: SyncOptions,
  lock: AdvisoryLock,
  signal: AbortSignal,
): Promise<void> {
  const { db, log, now } = deps
  const progress = createProgress(log, row.id)
  const run: Run = {
    id: row.id,
    startedAt: row.started_at,
    acceptVanished,
    progress,
    warnings: new Map(),
    signal,
  }
  let failure: { error: string; err: unknown } | null = null
  try {
    await ledger.deleteRunsBefore(db, new Date(row.started_at.getTime() - KEEP_RUNS_MS))
    await clearSeenProducts(db)
    if (full || acceptVanished) await askForFullLoads(db)
    await readLists(deps, run)
  } catch (thrown) {
    failure = { error: describe(thrown, signal), err: thrown }
  }
  const warnings = [...run.warnings.values()]
  try {
    const status = failure === null ? 'SUCCEEDED' : 'FAILED'
    const finishedAt = now()
    await ledger.finishRun(db, row.id, { status, error: failure?.error ?? null, warnings, finishedAt })
    const ms = finishedAt.getTime() - row.started_at.getTime()
    progress.reportEnd({ runId: row.id, status, ms, warnings, ...failure })
  } finally {
    await lock.release()
  }
  if (progress.changed() >= MIN_CHANGES_FOR_STATISTICS) {
    await ledger
      .refreshStatistics(db)
      .catch((thrown) => log.warn({ err: thrown }, 'statistics not refreshed'))
  }
  if (signal.aborted) return
  // Before feed and sitemap, which show what is visible then.
  await updateVisibility(deps, 'run').catch((thrown) =>
    log.warn({ err: thrown }, 'empty categories not hidden'),
  )
  await ledger.recordFeedOutcome(db, row.id, await rebuildFeed(deps))
  await rebuildSitemap(deps)
}

/** A cause that says nothing of our insides: the supplier's fault in words, anything else only in the log. */
function describe(thrown: unknown, signal: AbortSignal): string {
  const cause: unknown = signal.aborted ? signal.reason : thrown
  if (signal.aborted) return `Interrupted: ${cause instanceof Error ? cause.message : String(cause)}`
  if (cause instanceof Error && cause.name === 'SupplierError') return cause.message
  return 'An error on our side; the log has the details'
}
