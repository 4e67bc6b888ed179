import type { Trx } from '../../../db/database.ts'
import { type DatabaseFault, databaseFault } from '../../../db/errors.ts'
import { type HeldLock, tryLock } from '../../../db/held-locks.ts'
import { notifyCaches } from '../../../db/queries/events/notifications.ts'
import { databaseTime, releaseRead, releaseUnlisted } from '../../../db/queries/stock/holds.ts'
import {
  type ImportCounts,
  importBrands,
  importCategories,
  importProducts,
  linkWaitingProducts,
} from '../../../db/queries/supplier/import.ts'
import * as ledger from '../../../db/queries/supplier/runs.ts'
import type { FeedOutcome, SyncRunRow, SyncTrigger, SyncType } from '../../../db/tables/sync.ts'
import type { Deps } from '../../deps.ts'
import { AppError, conflict } from '../../errors.ts'
import type { RejectedRecord, SupplierBatch, SupplierClient } from '../../rules/supplier/records.ts'
import { createProgress, type Progress } from './progress.ts'

const KEEP_RUNS_MS = 30 * 24 * 3_600_000
/** More products gone than this share of all is taken for a fault of the supplier's. */
const VANISHED_LIMIT = 0.2
/** A load that changed at least so many products has outdated the planner's statistics. */
const MANY_CHANGES = 5000

type SyncDeps = Pick<Deps, 'db' | 'log' | 'now' | 'caches' | 'config'> & {
  supplier: SupplierClient
  feed: { rebuild(): Promise<FeedOutcome> }
}

type StartedRun = {
  runId: number
  /** Resolves when the run has ended, well or not, and the feed that follows it is built. Never rejects. */
  finished: Promise<void>
}

export type SupplierSync = {
  /**
   * Begins a run (contract section 8, "Sync").
   * @throws AppError 409 SYNC_RUNNING with the id of the run in the way, on whichever instance it is
   */
  start(trigger: SyncTrigger): Promise<StartedRun>
  /** Records runs whose process is gone as failed, unless one is under way somewhere. */
  recover(): Promise<void>
  /** Ends the run under way after its current page; it counts as failed and the next one starts over. */
  stop(): Promise<void>
}

/** Copies the supplier's catalogue: categories, then brands, then products (specification, "Run order"). */
export function createSupplierSync(deps: SyncDeps): SupplierSync {
  const stopping = new AbortController()
  const running = new Set<Promise<void>>()

  return {
    async start(trigger) {
      if (stopping.signal.aborted) throw new AppError(503, 'UNAVAILABLE', 'The service is stopping')
      const lock = await tryLock(deps.config.databaseUrl, 'supplierSync')
      if (lock === null) throw await alreadyRunning(deps)
      const run = await beginRun(deps, trigger, lock)
      const signal = AbortSignal.any([stopping.signal, lock.lost])
      const finished = runToEnd(deps, run, lock, signal)
        .catch((error: unknown) =>
          deps.log.error({ err: error, runId: run.id }, 'sync run could not be recorded'),
        )
        .finally(() => running.delete(finished))
      running.add(finished)
      return { runId: run.id, finished }
    },
    async recover() {
      const lock = await tryLock(deps.config.databaseUrl, 'supplierSync')
      if (lock === null) return
      await failInterrupted(deps).finally(() => lock.release())
    },
    async stop() {
      stopping.abort(new Error('The service is stopping'))
      await Promise.all(running)
    },
  }
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

async function beginRun(deps: SyncDeps, trigger: SyncTrigger, lock: HeldLock): Promise<SyncRunRow> {
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

async function runToEnd(deps: SyncDeps, run: SyncRunRow, lock: HeldLock, signal: AbortSignal): Promise<void> {
  const { db, log, now } = deps
  const progress = createProgress(log, run.id)
  const warnings: string[] = []
  let error: string | null = null
  try {
    await ledger.deleteRunsBefore(db, new Date(run.started_at.getTime() - KEEP_RUNS_MS))
    await ledger.clearSeenProducts(db)
    await syncLists(deps, run, progress, signal)
    const warning = await syncProducts(deps, run, progress, signal)
    if (warning !== null) warnings.push(warning)
  } catch (thrown) {
    error = describe(thrown, signal)
    log.error({ err: thrown, runId: run.id }, 'sync run failed')
  }
  try {
    const status = error === null ? 'SUCCEEDED' : 'FAILED'
    await ledger.finishRun(db, run.id, { status, error, warnings, finishedAt: now() })
    log.info(
      { runId: run.id, status, ms: now().getTime() - run.started_at.getTime(), ...progress.totals() },
      'sync run ended',
    )
    if (progress.changed() + progress.released() > 0) await announce(deps)
  } finally {
    await lock.release()
  }
  if (progress.changed() >= MANY_CHANGES) {
    await ledger
      .refreshStatistics(db)
      .catch((thrown) => log.warn({ err: thrown }, 'statistics not refreshed'))
  }
  if (!signal.aborted) await ledger.recordFeedOutcome(db, run.id, await deps.feed.rebuild())
}

/** Makes what caches hold of the catalogue stale, on every instance. */
async function announce({ db, caches }: SyncDeps): Promise<void> {
  await notifyCaches(db, 'catalogue')
  caches.clear('catalogue')
}

/** A cause that says nothing of our insides: the supplier's fault in words, anything else only in the log. */
function describe(thrown: unknown, signal: AbortSignal): string {
  const cause: unknown = signal.aborted ? signal.reason : thrown
  if (signal.aborted) return `Interrupted: ${cause instanceof Error ? cause.message : String(cause)}`
  if (cause instanceof Error && cause.name === 'SupplierError') return cause.message
  return 'An error on our side; the log has the details'
}

/** What to read for a type: all of it when nothing was stored, else what changed since. */
async function beginType(deps: SyncDeps, run: SyncRunRow, type: SyncType): Promise<Date | null> {
  const states = await ledger.listSyncStates(deps.db)
  const since = states.find((state) => state.sync_type === type)?.last_sync_time ?? null
  await ledger.insertRunType(deps.db, run.id, type, since === null)
  return since
}

async function syncLists(
  deps: SyncDeps,
  run: SyncRunRow,
  progress: Progress,
  signal: AbortSignal,
): Promise<void> {
  const { supplier } = deps
  const categoriesSince = await beginType(deps, run, 'CATEGORIES')
  const categories = await supplier.categories(categoriesSince, signal)
  await writePage(deps, run, 'CATEGORIES', categories, progress, async (trx) => {
    const counts = await importCategories(trx, categories.records)
    await ledger.storeSyncState(trx, run.id, 'CATEGORIES', run.started_at)
    return counts
  })

  const brandsSince = await beginType(deps, run, 'BRANDS')
  const brands = await supplier.brands(brandsSince, signal)
  await writePage(deps, run, 'BRANDS', brands, progress, async (trx) => {
    const counts = await importBrands(trx, brands.records)
    await linkWaitingProducts(trx)
    await ledger.storeSyncState(trx, run.id, 'BRANDS', run.started_at)
    return counts
  })
}

/** @returns a warning for staff when vanished products were left alone */
async function syncProducts(
  deps: SyncDeps,
  run: SyncRunRow,
  progress: Progress,
  signal: AbortSignal,
): Promise<string | null> {
  const since = await beginType(deps, run, 'PRODUCTS')
  const beganAt = await databaseTime(deps.db)
  let upcoming: Promise<ProductPage> | null = fetchAhead(deps, 1, since, signal)
  for (let page = 1; upcoming !== null; ) {
    const batch: ProductPage = await upcoming
    signal.throwIfAborted()
    upcoming = batch.nextPage === null ? null : fetchAhead(deps, batch.nextPage, since, signal)
    let released = 0
    await writePage(deps, run, 'PRODUCTS', batch, progress, async (trx) => {
      if (since === null) await ledger.markSeen(trx, run.id, idsOf(batch))
      const ids = batch.records.map(({ externalId }) => externalId)
      released = await releaseRead(trx, ids, batch.askedAt)
      return importProducts(trx, batch.records)
    })
    progress.addReleased(released)
    if (progress.report(page)) await announce(deps)
    page = batch.nextPage ?? page
  }
  return deps.db.transaction().execute(async (trx) => {
    progress.addReleased(await releaseUnlisted(trx, beganAt))
    const warning = since === null ? await deactivateVanished(trx, run.id) : null
    await ledger.storeSyncState(trx, run.id, 'PRODUCTS', run.started_at)
    return warning
  })
}

/** `askedAt`: before the supplier was asked; what was sent later its figures may not know. */
type ProductPage = Awaited<ReturnType<SupplierClient['products']>> & { askedAt: Date }

/** Asks for a page while the one before it is being written; if that fails, the loop hears of it when it gets there. */
function fetchAhead(
  { db, supplier }: SyncDeps,
  page: number,
  since: Date | null,
  signal: AbortSignal,
): Promise<ProductPage> {
  const answer = databaseTime(db).then(async (askedAt) => ({
    askedAt,
    ...(await supplier.products(page, since, signal)),
  }))
  answer.catch(() => {})
  return answer
}

/** A record that was skipped was there all the same. */
function idsOf({ records, rejected }: SupplierBatch<{ externalId: string }>): string[] {
  const ids = [...records, ...rejected].map(({ externalId }) => externalId)
  return ids.filter((id) => id !== null)
}

async function deactivateVanished(trx: Trx, runId: number): Promise<string | null> {
  const { vanished, all } = await ledger.countVanished(trx, runId)
  if (vanished <= all * VANISHED_LIMIT) {
    await ledger.deactivateVanished(trx, runId)
    return null
  }
  return `${vanished} of ${all} active products were not in the supplier's full list; none was made inactive`
}

const ATTEMPTS = 3
/** Another transaction was in the way, or an editor took a slug at the same moment: the page is written again. */
const PASSING: (DatabaseFault | null)[] = ['RACED', 'TAKEN']

async function writePage(
  { db }: SyncDeps,
  run: SyncRunRow,
  type: SyncType,
  batch: { rejected: RejectedRecord[] },
  progress: Progress,
  write: (trx: Trx) => Promise<ImportCounts>,
): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      const counts = await db.transaction().execute(async (trx) => {
        await ledger.commitLazily(trx)
        const written = await write(trx)
        await ledger.recordPage(trx, run.id, type, written, batch.rejected)
        return written
      })
      progress.add(counts, batch.rejected.length)
      return
    } catch (error) {
      if (attempt === ATTEMPTS || !PASSING.includes(databaseFault(error))) throw error
    }
  }
}
