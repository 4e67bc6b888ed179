import { clearSeenProducts } from '../../../db/queries/supplier/full-loads.ts'
import * as syncRuns from '../../../db/queries/supplier/runs.ts'
import * as watermarks from '../../../db/queries/supplier/watermarks.ts'
import { SYNC_TYPES, type SyncRunRow, type SyncTables, type SyncTrigger } from '../../../db/tables/sync.ts'
import type { Deps } from '../../deps.ts'
import { found } from '../../errors.ts'
import type { Actor } from '../../rules/accounts/roles.ts'
import { write } from '../../runtime/write.ts'
import { type Page, type PageQuery, toPage } from '../../schemas/lists.ts'
import type * as wire from '../../schemas/sync.ts'
import { updateVisibilityIfEnabled } from '../catalogue/category-visibility.ts'
import { rebuild } from '../published/publishing.ts'
import * as runs from '../runs.ts'
import { freshSetting } from '../settings/settings.ts'
import { importCatalogue } from './import.ts'

/** Skipped records that the log names; the run's record has more. */
const MAX_LOGGED_RECORDS = 5

type SyncOptions = Partial<Pick<wire.SyncRunQuery, 'full' | 'acceptVanished'>>

export const SYNC: runs.RunKind = {
  name: 'sync',
  lock: 'supplierSync',
  runningCode: 'SYNC_RUNNING',
  job: 'supplier-sync',
  table: 'sync_runs',
  listDone: syncRuns.listImportedRuns,
  async recordEnd(tx, ids) {
    for (const id of ids) tx.recordChange('syncEnd', [id], (db) => findSyncRun({ db }, id))
  },
}

/**
 * Starts to copy the supplier's catalogue: categories, brands, products (docs/supplier.md). A stop ends the run after the pages that it is writing; it counts as failed and the next one starts over.
 * @param dueAt time of the schedule; null: not scheduled
 * @throws AppError 409 SYNC_RUNNING with the id of the run in progress, on any instance; 503 when stopping
 */
export function startSync(
  deps: Deps,
  trigger: SyncTrigger,
  options: SyncOptions = {},
  dueAt: Date | null = null,
): Promise<runs.BackgroundRun> {
  const open = async () => {
    const values = { status: 'RUNNING', trigger, started_at: deps.now() } as const
    const row = await write(deps, ({ db }) => syncRuns.insertRun(db, values))
    deps.log.info({ runId: row.id, trigger }, 'sync started')
    return openRun(deps, row, options)
  }
  return runs.startRun(deps, SYNC, open, dueAt)
}

/** Starts a manual run, also when `job_sync_enabled` is false. */
export async function runSync(deps: Deps, actor: Actor, { wait, ...options }: wire.SyncRunQuery) {
  const started = await startSync(deps, 'MANUAL', options)
  await write(deps, async (tx) =>
    tx.audit({ actor, entity: 'SYNC', entityId: started.runId, before: null, after: options }),
  )
  return runs.answerStarted(started, wait, (id) => getSyncRun(deps, id))
}

/** Starts a sync if products were never read (docs/supplier.md). @throws AppError 409 while another run is in progress */
export async function runFirstSync(deps: Deps): Promise<{ finished: Promise<void> }> {
  if (await hasReadProducts(deps)) return { finished: Promise.resolve() }
  return startSync(deps, 'START')
}

/**
 * Logs when a new shop, or one whose states were reset, reads the whole catalogue, and how to start that now.
 * @param next next scheduled run; null: not on this instance
 */
export async function announceFullLoad(deps: Deps, { url, next }: { url: string; next: Date | null }): Promise<void> {
  if (await hasReadProducts(deps)) return
  const enabled = (await freshSetting(deps, 'job_sync_enabled')) !== 'false'
  let when = 'no sync is scheduled on this instance (JOBS_ENABLED)'
  if (next !== null && enabled) when = `the next sync comes at ${next.toISOString()} (SYNC_CRON)`
  else if (next !== null) when = 'the schedule is switched off (job_sync_enabled)'
  const command = `curl -X POST -H "Authorization: Bearer $TOKEN" ${url}/admin/sync/run`
  deps.log.info(`full load due: ${when}. To start it now, as an administrator: ${command}`)
}

async function hasReadProducts({ db }: Deps): Promise<boolean> {
  return (await watermarks.listSyncStates(db)).some((state) => state.sync_type === 'PRODUCTS')
}

function openRun(
  deps: Deps,
  { id, started_at: startedAt }: SyncRunRow,
  { full = false, acceptVanished = false }: SyncOptions,
): runs.OpenRun {
  const { db } = deps
  return {
    id,
    async work(signal) {
      await write(deps, async (tx) => {
        await syncRuns.lockRun(tx.db, id)
        await clearSeenProducts(tx.db)
        if (full || acceptVanished) await watermarks.requireFullLoads(tx.db)
      })
      await importCatalogue(deps, { id, startedAt, acceptVanished, signal })
    },
    lock: (trx) => syncRuns.lockRun(trx, id),
    async finish() {
      const types = await syncRuns.listRunTypes(db, [id])
      const total = (count: 'seen' | 'created' | 'updated' | 'skipped') =>
        types.reduce((sum, type) => sum + type[count], 0)
      const firstSkipped = (await syncRuns.listSkippedRecords(db, id)).slice(0, MAX_LOGGED_RECORDS)
      const [seen, changed, skipped] = [total('seen'), total('created') + total('updated'), total('skipped')]
      return { seen, changed, skipped, ...(skipped > 0 && { firstSkipped }) }
    },
    async followUp() {
      // Before feed and sitemap, which list visible categories only.
      await updateVisibilityIfEnabled(deps)
      const { entries: offers, ...feed } = await rebuild(deps, 'feed')
      await syncRuns.updateRun(db, id, { feed: JSON.stringify({ ...feed, offers }) })
      await rebuild(deps, 'google-merchant')
      await rebuild(deps, 'sitemap')
    },
  }
}

/** Lists when each type was last read. */
export async function listSyncStates({ db }: Pick<Deps, 'db'>): Promise<wire.SyncState[]> {
  return (await watermarks.listSyncStates(db)).map(({ sync_type, last_sync_time }) => ({
    syncType: sync_type,
    lastSyncTime: last_sync_time.toISOString(),
  }))
}

/** Clears all watermarks, including that of a run in progress: the next run is a full load. */
export async function resetSync(deps: Deps, actor: Actor): Promise<wire.SyncState[]> {
  await write(deps, async (tx) => {
    const before = Object.fromEntries(
      (await listSyncStates(tx)).map(({ syncType, lastSyncTime }) => [syncType, lastSyncTime]),
    )
    await watermarks.clearSyncStates(tx.db)
    tx.audit({ actor, entity: 'SYNC', entityId: 'reset', before, after: null })
  })
  deps.log.info('sync states reset')
  return listSyncStates(deps)
}

/** Lists runs, newest first. */
export async function listSyncRuns({ db }: Deps, query: PageQuery): Promise<Page<wire.SyncRun>> {
  const page = await syncRuns.listRuns(db, query)
  const ids = page.rows.map(({ id }) => id)
  const types = await syncRuns.listRunTypes(db, ids)
  const expected = page.rows.some(isRunning) ? await syncRuns.countLastFullLoad(db) : undefined
  return toPage(page, query, (row) => toSyncRun(row, types, expected))
}

/** @throws AppError 404 */
export async function getSyncRun(deps: Deps, id: number): Promise<wire.SyncRunDetails> {
  const run = found(await findSyncRun(deps, id), 'sync run')
  const skipped = await syncRuns.listSkippedRecords(deps.db, id)
  return {
    ...run,
    skippedRecords: skipped.map(({ sync_type, external_id, reason }) => ({
      syncType: sync_type,
      externalId: external_id,
      reason,
    })),
  }
}

/** Finds a run without its skipped records. */
export async function findSyncRun({ db }: Pick<Deps, 'db'>, id: number): Promise<wire.SyncRun | null> {
  const row = await syncRuns.findRun(db, id)
  if (row === undefined) return null
  const expected = isRunning(row) ? await syncRuns.countLastFullLoad(db) : undefined
  return toSyncRun(row, await syncRuns.listRunTypes(db, [id]), expected)
}

const isRunning = ({ status }: SyncRunRow) => status === 'RUNNING'

/** @param expected products of the last full load */
function toSyncRun(row: SyncRunRow, types: SyncTables['sync_run_types'][], expected?: number): wire.SyncRun {
  const own = SYNC_TYPES.flatMap((type) => types.filter((one) => one.run_id === row.id && one.sync_type === type))
  return {
    ...runs.toRun(row),
    trigger: row.trigger,
    warnings: row.warnings,
    expected: (isRunning(row) && own.some(isUnderWay) && expected) || null,
    types: own.map((type) => ({
      syncType: type.sync_type,
      fullLoad: type.full_load,
      seen: type.seen,
      created: type.created,
      updated: type.updated,
      unchanged: type.unchanged,
      skipped: type.skipped,
      deactivated: type.deactivated,
    })),
    feed: row.feed,
  }
}

/** Whether a full load of products has read its first page. */
function isUnderWay({ sync_type, full_load, seen }: SyncTables['sync_run_types']): boolean {
  return sync_type === 'PRODUCTS' && full_load && seen > 0
}
