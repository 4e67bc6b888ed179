import { type DatabaseFault, databaseFault } from '../../../db/errors.ts'
import { type HeldLock, tryLock } from '../../../db/held-locks.ts'
import { databaseTime, releaseRead, releaseUnlisted } from '../../../db/queries/stock/holds.ts'
import {
  type ImportCounts,
  importBrands,
  importCategories,
  importProducts,
  linkWaitingProducts,
} from '../../../db/queries/supplier/import.ts'
import * as ledger from '../../../db/queries/supplier/runs.ts'
import type { SyncRunRow, SyncTrigger, SyncType } from '../../../db/tables/sync.ts'
import type { Deps } from '../../deps.ts'
import { type AppError, conflict } from '../../errors.ts'
import type { RejectedRecord, SupplierBatch } from '../../rules/supplier/records.ts'
import { type UnitOfWork, write } from '../../runtime/write.ts'
import { rebuildFeed } from '../published/feed.ts'
import { createProgress, type Progress } from './progress.ts'

const KEEP_RUNS_MS = 30 * 24 * 3_600_000
/** More products gone than this share of all is taken for a fault of the supplier's. */
const VANISHED_LIMIT = 0.2
/** A load that changed at least so many products has outdated the planner's statistics. */
const MANY_CHANGES = 5000

type SyncDeps = Pick<
  Deps,
  'db' | 'log' | 'now' | 'changes' | 'config' | 'supplier' | 'tasks' | 'feedBuilds' | 'feedFiles'
>

type StartedRun = {
  runId: number
  /** Resolves when the run has ended, well or not, and the feed that follows it is built. Never rejects. */
  finished: Promise<void>
}

/**
 * Begins to copy the supplier's catalogue: categories, then brands, then products (specification, "Run order"; contract
 * section 8, "Sync"). A stop ends the run after its current page; it counts as failed and the next one starts over.
 * @throws AppError 409 SYNC_RUNNING with the id of the run in the way, on whichever instance it is; 503 when stopping
 */
export async function startSync(deps: SyncDeps, trigger: SyncTrigger): Promise<StartedRun> {
  const begun = Promise.withResolvers<number>()
  const finished = deps.tasks
    .run(async (stop) => {
      const lock = await tryLock(deps.config.databaseUrl, 'supplierSync')
      if (lock === null) throw await alreadyRunning(deps)
      const run = await beginRun(deps, trigger, lock)
      begun.resolve(run.id)
      await runToEnd(deps, run, lock, AbortSignal.any([stop, lock.lost]))
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
  } finally {
    await lock.release()
  }
  if (progress.changed() >= MANY_CHANGES) {
    await ledger
      .refreshStatistics(db)
      .catch((thrown) => log.warn({ err: thrown }, 'statistics not refreshed'))
  }
  if (!signal.aborted) await ledger.recordFeedOutcome(db, run.id, await rebuildFeed(deps))
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
  await writePage(deps, run, 'CATEGORIES', categories, progress, async (tx) => {
    const { counts, changed } = await importCategories(tx.db, categories.records)
    tx.changed('category', changed)
    await ledger.storeSyncState(tx.db, run.id, 'CATEGORIES', run.started_at)
    return counts
  })

  const brandsSince = await beginType(deps, run, 'BRANDS')
  const brands = await supplier.brands(brandsSince, signal)
  await writePage(deps, run, 'BRANDS', brands, progress, async (tx) => {
    const { counts, changed } = await importBrands(tx.db, brands.records)
    tx.changed('brand', changed)
    tx.changed('product', await linkWaitingProducts(tx.db))
    await ledger.storeSyncState(tx.db, run.id, 'BRANDS', run.started_at)
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
    await writePage(deps, run, 'PRODUCTS', batch, progress, async (tx) => {
      if (since === null) await ledger.markSeen(tx.db, run.id, idsOf(batch))
      const ids = batch.records.map(({ externalId }) => externalId)
      released = letGo(tx, await releaseRead(tx.db, ids, batch.askedAt))
      const { counts, changed } = await importProducts(tx.db, batch.records)
      tx.changed('product', changed)
      return counts
    })
    progress.addReleased(released)
    progress.report(page)
    page = batch.nextPage ?? page
  }
  return write(deps, async (tx) => {
    const warning = since === null ? await deactivateVanished(tx, run.id) : null
    // What an incremental run did not list it has not read, nor a full load what it left alone.
    if (since === null && warning === null) {
      progress.addReleased(letGo(tx, await releaseUnlisted(tx.db, run.id, beganAt)))
    }
    await ledger.storeSyncState(tx.db, run.id, 'PRODUCTS', run.started_at)
    return warning
  })
}

/** Says whose quantities are free again. @returns how many lines held them */
function letGo(tx: UnitOfWork, products: (number | null)[]): number {
  tx.changed(
    'stock',
    products.filter((id) => id !== null),
  )
  return products.length
}

/** `askedAt`: before the supplier was asked; what was sent later its figures may not know. */
type ProductPage = Awaited<ReturnType<Deps['supplier']['products']>> & { askedAt: Date }

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

async function deactivateVanished(tx: UnitOfWork, runId: number): Promise<string | null> {
  const { vanished, all } = await ledger.countVanished(tx.db, runId)
  if (vanished <= all * VANISHED_LIMIT) {
    tx.changed('product', await ledger.deactivateVanished(tx.db, runId))
    return null
  }
  return `${vanished} of ${all} active products were not in the supplier's full list; none was made inactive`
}

const ATTEMPTS = 3
/** Another transaction was in the way, or an editor took a slug at the same moment: the page is written again. */
const PASSING: (DatabaseFault | null)[] = ['RACED', 'TAKEN']

async function writePage(
  deps: SyncDeps,
  run: SyncRunRow,
  type: SyncType,
  batch: { rejected: RejectedRecord[] },
  progress: Progress,
  writeRecords: (tx: UnitOfWork) => Promise<ImportCounts>,
): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      const counts = await write(deps, async (tx) => {
        await ledger.commitLazily(tx.db)
        const written = await writeRecords(tx)
        await ledger.recordPage(tx.db, run.id, type, written, batch.rejected)
        return written
      })
      progress.add(counts, batch.rejected.length)
      return
    } catch (error) {
      if (attempt === ATTEMPTS || !PASSING.includes(databaseFault(error))) throw error
    }
  }
}
