import { findRecord } from '../../../db/queries/records.ts'
import * as ledger from '../../../db/queries/supplier/runs.ts'
import * as states from '../../../db/queries/supplier/states.ts'
import type { Deps } from '../../deps.ts'
import { AppError, found } from '../../errors.ts'
import type { Actor } from '../../rules/accounts/roles.ts'
import { write } from '../../runtime/write.ts'
import { type Page, type PageQuery, toPage } from '../../schemas/lists.ts'
import { SkippedRecord, type SyncRun, type SyncRunDetails, SyncState } from '../../schemas/sync.ts'
import { answerStarted, type StartedRun } from '../runs.ts'
import { freshSetting } from '../settings/settings.ts'
import { toWire } from '../wire.ts'
import { toSyncRun } from './json.ts'
import { type SyncOptions, startSync } from './sync.ts'

const MAX_SHOWN_RECORDS = 1000

/** Lists when each type was last read (specification, "Synchronisation (ADMIN)"). */
export async function listSyncStates({ db }: Pick<Deps, 'db'>): Promise<SyncState[]> {
  return (await states.listSyncStates(db)).map((state) => toWire(SyncState, state))
}

/** Clears all watermarks, including that of a run in progress: the next run is a full load. */
export async function resetSync(deps: Deps, actor: Actor): Promise<SyncState[]> {
  await write(deps, async (tx) => {
    const before = Object.fromEntries(
      (await listSyncStates(tx)).map(({ syncType, lastSyncTime }) => [syncType, lastSyncTime]),
    )
    await states.clearSyncStates(tx.db)
    tx.audit({ actor, entity: 'SYNC', entityId: 'reset', before, after: null })
  })
  deps.log.info('sync states reset')
  return listSyncStates(deps)
}

/** Starts a manual run, also when `job_sync_enabled` is false. */
export async function runSync(
  deps: Deps,
  actor: Actor,
  { wait, ...options }: SyncOptions & { wait: boolean },
) {
  const started = await startSync(deps, 'MANUAL', options)
  await write(deps, async (tx) =>
    tx.audit({ actor, entity: 'SYNC', entityId: started.runId, before: null, after: options }),
  )
  return answerStarted(started, wait, (id) => getSyncRun(deps, id))
}

/** Lists runs, newest first. */
export async function listSyncRuns({ db }: Deps, query: PageQuery): Promise<Page<SyncRun>> {
  const page = await ledger.listRuns(db, query)
  const ids = page.rows.map(({ id }) => id)
  const types = await ledger.listRunTypes(db, ids)
  return toPage(page, query, (row) => toSyncRun(row, types))
}

/** @throws AppError 404 */
export async function getSyncRun({ db }: Deps, id: number): Promise<SyncRunDetails> {
  const row = found(await findRecord(db, 'sync_runs', id), 'sync run')
  const skipped = await ledger.listSkippedRecords(db, id, MAX_SHOWN_RECORDS)
  return {
    ...toSyncRun(row, await ledger.listRunTypes(db, [id])),
    skippedRecords: skipped.map((record) => toWire(SkippedRecord, record)),
  }
}

/** Starts the sync as a job. @param dueAt time of the schedule; null: started by hand @throws AppError 409 */
export function startSyncJob(deps: Deps, dueAt: Date | null): Promise<StartedRun> {
  return startSync(deps, dueAt === null ? 'MANUAL' : 'CRON', {}, dueAt)
}

/**
 * Logs when a shop without products will be synchronised, and how to start that now.
 * @param next next scheduled run; null: not on this instance
 */
export async function announceFirstSync(
  deps: Deps,
  { url, next }: { url: string; next: Date | null },
): Promise<void> {
  if (await hasReadProducts(deps)) return
  const enabled = (await freshSetting(deps, 'job_sync_enabled')) !== 'false'
  const comes = next ? `the first sync comes at ${next.toISOString()} (SYNC_CRON)` : NOT_SCHEDULED
  const when = enabled || next === null ? comes : 'the schedule is switched off (job_sync_enabled)'
  const command = `curl -X POST -H "Authorization: Bearer $TOKEN" ${url}/admin/sync/run`
  deps.log.info(`no products yet: ${when}. To start it now, as an administrator: ${command}`)
}

const NOT_SCHEDULED = 'no sync is scheduled on this instance (JOBS_ENABLED)'

async function hasReadProducts({ db }: Deps): Promise<boolean> {
  return (await states.listSyncStates(db)).some((state) => state.sync_type === 'PRODUCTS')
}

/** Starts a sync if products were never read (contract section 8). @throws AppError 409 when it is worth a retry */
export async function runFirstSync(deps: Deps): Promise<{ finished: Promise<void> }> {
  if (await hasReadProducts(deps)) return { finished: Promise.resolve() }
  try {
    return await startSync(deps, 'START')
  } catch (error) {
    const isRunning = error instanceof AppError && error.code === 'SYNC_RUNNING'
    // Without an id another instance may only be recovering.
    if (!isRunning || error.extras.body?.runId === undefined) throw error
    deps.log.info('first sync skipped: another run is in progress')
    return { finished: Promise.resolve() }
  }
}
