import { sql } from 'kysely'
import type { RejectedRecord } from '../../../src/rules/supplier/records.ts'
import type { Db, Trx } from '../../database.ts'
import { type PageOf, type PageRequest, readPage } from '../../paging.ts'
import type {
  FeedOutcome,
  RunStatus,
  SyncRunRow,
  SyncRunTypesTable,
  SyncSkippedRecordsTable,
  SyncStateTable,
  SyncTrigger,
  SyncType,
} from '../../tables/sync.ts'
import type { ImportCounts } from './import.ts'

export function listSyncStates(db: Db): Promise<SyncStateTable[]> {
  return db.selectFrom('sync_state').selectAll().orderBy('sync_type').execute()
}

/** Forgets when anything was read, also for the run under way: what it would store is not stored. */
export async function clearSyncStates(trx: Trx): Promise<void> {
  await trx.updateTable('sync_runs').set({ state_discarded: true }).where('status', '=', 'RUNNING').execute()
  await trx.deleteFrom('sync_state').execute()
}

/** Stores the watermark of a type, unless the states were cleared since the run began. */
export async function storeSyncState(trx: Trx, runId: number, type: SyncType, time: Date): Promise<void> {
  const run = await trx
    .selectFrom('sync_runs')
    .select('state_discarded')
    .where('id', '=', runId)
    .forUpdate()
    .executeTakeFirstOrThrow()
  if (run.state_discarded) return
  await trx
    .insertInto('sync_state')
    .values({ sync_type: type, last_sync_time: time })
    .onConflict((conflict) => conflict.column('sync_type').doUpdateSet({ last_sync_time: time }))
    .execute()
}

export function insertRun(db: Db, trigger: SyncTrigger, startedAt: Date): Promise<SyncRunRow> {
  return db
    .insertInto('sync_runs')
    .values({ status: 'RUNNING', trigger, started_at: startedAt })
    .returningAll()
    .executeTakeFirstOrThrow()
}

/** For whoever holds the lock of the sync. @returns how many runs were marked */
export async function failInterruptedRuns(db: Db, now: Date): Promise<number> {
  const result = await db
    .updateTable('sync_runs')
    .set({ status: 'FAILED', finished_at: now, error: 'Interrupted: the process that ran it is gone' })
    .where('status', '=', 'RUNNING')
    .executeTakeFirst()
  return Number(result.numUpdatedRows)
}

export async function finishRun(
  db: Db,
  id: number,
  values: { status: RunStatus; error: string | null; finishedAt: Date; warnings: string[] },
): Promise<void> {
  await db
    .updateTable('sync_runs')
    .set({
      status: values.status,
      error: values.error,
      finished_at: values.finishedAt,
      warnings: values.warnings,
    })
    .where('id', '=', id)
    .execute()
}

export async function recordFeedOutcome(db: Db, runId: number, outcome: FeedOutcome): Promise<void> {
  await db
    .updateTable('sync_runs')
    .set({ feed: JSON.stringify(outcome) })
    .where('id', '=', runId)
    .execute()
}

export function findRunningRun(db: Db): Promise<{ id: number } | undefined> {
  return db
    .selectFrom('sync_runs')
    .select('id')
    .where('status', '=', 'RUNNING')
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst()
}

/** The newest first. */
export function listRuns(db: Db, page: PageRequest): Promise<PageOf<SyncRunRow>> {
  return readPage(db.selectFrom('sync_runs').selectAll().orderBy('id', 'desc'), page)
}

export function findRun(db: Db, id: number): Promise<SyncRunRow | undefined> {
  return db.selectFrom('sync_runs').selectAll().where('id', '=', id).executeTakeFirst()
}

export function listRunTypes(db: Db, runIds: number[]): Promise<SyncRunTypesTable[]> {
  return db
    .selectFrom('sync_run_types')
    .selectAll()
    .where('run_id', '=', sql<number>`any(${runIds}::int[])`)
    .execute()
}

export type SkippedRecordRow = Pick<SyncSkippedRecordsTable, 'sync_type' | 'external_id' | 'reason'>

/** The first `limit` records that a run skipped. */
export function listSkippedRecords(db: Db, runId: number, limit: number): Promise<SkippedRecordRow[]> {
  return db
    .selectFrom('sync_skipped_records')
    .select(['sync_type', 'external_id', 'reason'])
    .where('run_id', '=', runId)
    .orderBy('id')
    .limit(limit)
    .execute()
}

export async function deleteRunsBefore(db: Db, time: Date): Promise<void> {
  await db.deleteFrom('sync_runs').where('started_at', '<', time).execute()
}

/** For whoever holds the lock of the sync: what an earlier full load has seen is of no use any more. */
export async function clearSeenProducts(db: Db): Promise<void> {
  await sql`truncate sync_seen_products`.execute(db)
}

export async function insertRunType(db: Db, runId: number, type: SyncType, fullLoad: boolean): Promise<void> {
  const none = { seen: 0, created: 0, updated: 0, unchanged: 0, skipped: 0, deactivated: 0 }
  await db
    .insertInto('sync_run_types')
    .values({ run_id: runId, sync_type: type, full_load: fullLoad, ...none })
    .execute()
}

/**
 * Spares a page's commit the wait for the disk. Nothing is lost by it: the watermark's commit waits, and with it all
 * that was written before; without it the next run reads the page again.
 */
export async function commitLazily(trx: Trx): Promise<void> {
  await sql`set local synchronous_commit = off`.execute(trx)
}

/** Adds what a page brought to the run's counters. */
export async function recordPage(
  trx: Trx,
  runId: number,
  type: SyncType,
  counts: ImportCounts,
  rejected: RejectedRecord[],
): Promise<void> {
  const seen = counts.created + counts.updated + counts.unchanged + rejected.length
  await trx
    .updateTable('sync_run_types')
    .set((eb) => ({
      seen: eb('seen', '+', seen),
      created: eb('created', '+', counts.created),
      updated: eb('updated', '+', counts.updated),
      unchanged: eb('unchanged', '+', counts.unchanged),
      skipped: eb('skipped', '+', rejected.length),
    }))
    .where('run_id', '=', runId)
    .where('sync_type', '=', type)
    .execute()
  if (rejected.length === 0) return
  await trx
    .insertInto('sync_skipped_records')
    .values(
      rejected.map(({ externalId, reason }) => ({
        run_id: runId,
        sync_type: type,
        external_id: externalId,
        reason,
      })),
    )
    .execute()
}

export async function markSeen(trx: Trx, runId: number, externalIds: string[]): Promise<void> {
  await sql`
    insert into sync_seen_products (run_id, external_id)
    select ${runId}::int, id from unnest(${externalIds}::text[]) id
    on conflict do nothing`.execute(trx)
}

/** How many of the supplier's active products a full load has not seen, and how many there are. */
export async function countVanished(trx: Trx, runId: number): Promise<{ vanished: number; all: number }> {
  const { rows } = await sql<{ vanished: number; all: number }>`
    select count(*) filter (where seen.external_id is null) as vanished, count(*) as all
    from products p
    left join sync_seen_products seen on seen.run_id = ${runId}::int and seen.external_id = p.external_id
    where p.external_id is not null and p.supplier_active`.execute(trx)
  return rows[0] ?? { vanished: 0, all: 0 }
}

/** @returns the ids of the products that were marked as inactive */
export async function deactivateVanished(trx: Trx, runId: number): Promise<number[]> {
  const { rows } = await sql<{ id: number }>`
    with gone as (
      update products p set supplier_active = false, updated_at = now()
      where p.external_id is not null and p.supplier_active
        and not exists (
          select from sync_seen_products seen
          where seen.run_id = ${runId}::int and seen.external_id = p.external_id)
      returning id
    ), counted as (
      update sync_run_types set deactivated = (select count(*) from gone)
      where run_id = ${runId}::int and sync_type = 'PRODUCTS'
    )
    select id from gone`.execute(trx)
  return rows.map(({ id }) => id)
}

/** Fresh statistics and visibility map after a load that changed much: the list queries' plans depend on both. */
export async function refreshStatistics(db: Db): Promise<void> {
  for (const table of ['products', 'product_attributes', 'slug_history', 'categories']) {
    await sql`vacuum analyze ${sql.table(table)}`.execute(db)
  }
}
