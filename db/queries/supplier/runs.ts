import { sql, type Updateable } from 'kysely'
import { listedIds, type SupplierBatch } from '../../../src/rules/supplier/records.ts'
import type { Db, Trx } from '../../database.ts'
import { type PageOf, type PageRequest, readPage } from '../../paging.ts'
import { prepared } from '../../prepared.ts'
import type { SyncRunRow, SyncTables, SyncType } from '../../tables/sync.ts'
import { takenForDead } from '../operations/job-runs.ts'
import type { Imported } from './import.ts'

/**
 * Locks the row of a run until the transaction ends. Each transaction of a run does so after its other locks, because a
 * paused process doesn't notice that it lost the sync's lock to another one.
 * @throws Error when another process has recorded the run as failed
 */
export async function lockRun(trx: Trx, id: number): Promise<Pick<SyncRunRow, 'state_discarded'>> {
  const run = await trx
    .selectFrom('sync_runs')
    .select('state_discarded')
    .where('id', '=', id)
    .where('status', '=', 'RUNNING')
    .forNoKeyUpdate()
    .executeTakeFirst()
  if (run === undefined) throw takenForDead()
  return run
}

/** Requires lockRun while the run is in progress. */
export async function updateRun(db: Db, id: number, values: Updateable<SyncTables['sync_runs']>): Promise<void> {
  await db.updateTable('sync_runs').set(values).where('id', '=', id).execute()
}

/** Newest first. */
export function listRuns(db: Db, page: PageRequest): Promise<PageOf<SyncRunRow>> {
  return readPage(db.selectFrom('sync_runs').selectAll().orderBy('id', 'desc'), page)
}

export function listRunTypes(db: Db, runIds: number[]): Promise<SyncTables['sync_run_types'][]> {
  return db.selectFrom('sync_run_types').selectAll().where('run_id', '=', sql<number>`any(${runIds}::int[])`).execute()
}

export type SkippedRecordRow = Pick<SyncTables['sync_skipped_records'], 'sync_type' | 'external_id' | 'reason'>

const MAX_SKIPPED = 1000

/** Lists the first 1000. */
export function listSkippedRecords(db: Db, runId: number): Promise<SkippedRecordRow[]> {
  return db
    .selectFrom('sync_skipped_records')
    .select(['sync_type', 'external_id', 'reason'])
    .where('run_id', '=', runId)
    .orderBy('id')
    .limit(MAX_SKIPPED)
    .execute()
}

export async function insertRunType(db: Db, runId: number, type: SyncType, fullLoad: boolean): Promise<void> {
  const none = { seen: 0, created: 0, updated: 0, unchanged: 0, skipped: 0, deactivated: 0 }
  await db
    .insertInto('sync_run_types')
    .values({ run_id: runId, sync_type: type, full_load: fullLoad, ...none })
    .execute()
}

/**
 * Adds records to the run's counts, marks its products as seen, and locks the run as `lockRun` does. Lets the transaction
 * commit without waiting for the disk. Safe, because the later commit of the watermark does wait and flushes all earlier
 * ones; without a watermark the next run reads the records again.
 * @returns the supplier's ids of the products that are new to the run
 * @throws as lockRun
 */
export async function recordBatch(
  trx: Trx,
  runId: number,
  type: SyncType,
  batch: SupplierBatch<{ externalId: string }>,
  { created, updated }: Imported,
): Promise<string[]> {
  const { records, rejected } = batch
  const unchanged = records.length - created - updated
  const products = type === 'PRODUCTS' ? listedIds(batch) : []
  const query = sql<{ unseen: string[] }>`
    with run as (
      select id from sync_runs where id = ${runId}::int and status = 'RUNNING' for no key update
    ), seen as (
      insert into sync_seen_products (run_id, external_id)
      select run.id, product from run, unnest(${products}::text[]) product
      on conflict do nothing
      returning external_id
    )
    update sync_run_types t
    set seen = seen + ${records.length + rejected.length}::int, created = created + ${created}::int,
      updated = updated + ${updated}::int, unchanged = unchanged + ${unchanged}::int,
      skipped = skipped + ${rejected.length}::int
    from run where t.run_id = run.id and t.sync_type = ${type}
    returning array(select external_id from seen) as unseen, set_config('synchronous_commit', 'off', true)`
  const [recorded] = await prepared(trx, query)
  if (recorded === undefined) throw takenForDead()
  if (rejected.length > 0) {
    await sql`
      insert into sync_skipped_records (run_id, sync_type, external_id, reason)
      select ${runId}::int, ${type}, "externalId", reason
      from json_to_recordset(${JSON.stringify(rejected)}::json)
        as i("externalId" text, reason text)`.execute(trx)
  }
  return recorded.unseen
}

/** The columns by which a load's own statements find rows; sampling wide texts would take ten times as long. */
const LOOKUP_COLUMNS = sql`
  products (id, external_id, supplier_active, category_id, brand_id),
  product_attributes (product_id, source, position), slug_history (kind, slug, base, suffix), categories,
  sync_seen_products, sync_missed`

/**
 * Refreshes the planner's statistics in the middle of a load. If autovacuum visits a table before its first rows are
 * committed, it records an empty table, and the planner then scans the whole table for each row.
 */
export async function analyzeLoadedTables(db: Db): Promise<void> {
  await db.transaction().execute(async (trx) => {
    // Sizes and rough shares are enough here; a larger sample takes ten times as long.
    await sql`set local default_statistics_target = 10`.execute(trx)
    await sql`analyze ${LOOKUP_COLUMNS}`.execute(trx)
  })
}
