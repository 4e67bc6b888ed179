import { clearSeenProducts } from '../../../db/queries/supplier/full-loads.ts'
import * as ledger from '../../../db/queries/supplier/runs.ts'
import { requireFullLoads } from '../../../db/queries/supplier/states.ts'
import type { SyncRunRow, SyncTrigger } from '../../../db/tables/sync.ts'
import type { Deps } from '../../deps.ts'
import { write } from '../../runtime/write.ts'
import { updateVisibility } from '../catalogue/category-visibility.ts'
import { rebuild } from '../published/publishing.ts'
import { logRunEnd, type OpenRun, type RunKind, recoverRuns, type StartedRun, startRun } from '../runs.ts'
import { findSyncRun } from './json.ts'
import { readLists } from './lists.ts'
import type { Run } from './readings.ts'

const RUN_RETENTION_MS = 30 * 24 * 3_600_000
/** After this many changes the planner's statistics are refreshed. */
const MIN_CHANGES_FOR_STATISTICS = 1000
/** Skipped records that the log names; the ledger has all of them. */
const MAX_NAMED_RECORDS = 5

export type SyncOptions = {
  /** Ask for all records; if the run fails, the next one is a full load. */
  full?: boolean
  /** An operator confirms that the products missed by the last full load are gone. Implies `full`. */
  acceptVanished?: boolean
}

const SYNC: RunKind = {
  name: 'sync',
  lock: 'supplierSync',
  runningCode: 'SYNC_RUNNING',
  job: 'supplier-sync',
  table: 'sync_runs',
  failInterrupted: ledger.failInterruptedRuns,
  recordEnd(tx, ids) {
    tx.recordChange('syncRun', ids)
    for (const id of ids) tx.recordEvent('sync.finished', (db) => findSyncRun({ db }, id))
  },
}

/**
 * Starts to copy the supplier's catalogue: categories, brands, products (specification, "Run order"; contract section 8,
 * "Sync"). A stop ends the run after its current page; it counts as failed and the next one starts over.
 * @throws AppError 409 SYNC_RUNNING with the id of the run in progress, on any instance; 503 when stopping
 */
export function startSync(
  deps: Deps,
  trigger: SyncTrigger,
  options: SyncOptions = {},
  dueAt: Date | null = null,
): Promise<StartedRun> {
  const open = async () => {
    const row = await ledger.insertRun(deps.db, trigger, deps.now())
    deps.log.info({ runId: row.id, trigger }, 'sync started')
    return openRun(deps, row, options)
  }
  return startRun(deps, SYNC, open, dueAt)
}

/** Records the runs of dead processes as failed. */
export function recoverSync(deps: Deps): Promise<void> {
  return recoverRuns(deps, SYNC)
}

function openRun(
  deps: Deps,
  { id, started_at: startedAt }: SyncRunRow,
  { full = false, acceptVanished = false }: SyncOptions,
): OpenRun {
  const { db, log, now } = deps
  const warnings: Run['warnings'] = new Map()
  let changed = 0
  return {
    id,
    async work(signal) {
      await ledger.deleteRunsBefore(db, new Date(startedAt.getTime() - RUN_RETENTION_MS))
      await write(deps, async (tx) => {
        await ledger.lockRun(tx.db, id)
        await clearSeenProducts(tx.db)
        if (full || acceptVanished) await requireFullLoads(tx.db)
      })
      await readLists(deps, { id, startedAt, acceptVanished, warnings, signal })
    },
    async finish(failure) {
      const outcome = {
        status: failure === null ? ('SUCCEEDED' as const) : ('FAILED' as const),
        error: failure?.error ?? null,
        warnings: [...warnings.values()],
        finishedAt: now(),
      }
      await write(deps, async (tx) => {
        await ledger.finishRun(tx.db, id, outcome)
        SYNC.recordEnd(tx, [id])
      })
      const types = await ledger.listRunTypes(db, [id])
      changed = types.reduce((sum, { created, updated }) => sum + created + updated, 0)
      const seen = types.reduce((sum, type) => sum + type.seen, 0)
      const skipped = types.reduce((sum, type) => sum + type.skipped, 0)
      if (skipped > 0) {
        const first = await ledger.listSkippedRecords(db, id, MAX_NAMED_RECORDS)
        log.warn({ runId: id, skipped, first }, 'sync records skipped')
      }
      for (const warning of outcome.warnings) log.warn({ runId: id }, warning)
      const durationMs = outcome.finishedAt.getTime() - startedAt.getTime()
      logRunEnd(log, SYNC.name, { runId: id, durationMs, seen, changed, skipped }, failure)
    },
    async followUp() {
      if (changed >= MIN_CHANGES_FOR_STATISTICS) {
        await ledger.refreshStatistics(db).catch((err) => log.warn({ err }, 'statistics not refreshed'))
      }
      // Before feed and sitemap, which list visible categories only.
      await updateVisibility(deps, 'run').catch((err) => log.warn({ err }, 'empty categories not hidden'))
      const { entries: offers, ...feed } = await rebuild(deps, 'feed')
      await ledger.recordFeedOutcome(db, id, { ...feed, offers })
      await rebuild(deps, 'google-merchant')
      await rebuild(deps, 'sitemap')
    },
  }
}
