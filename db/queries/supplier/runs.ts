import { type Insertable, type Selectable, sql, type Updateable } from 'kysely'
import { listedIds, type RejectedRecord, type SupplierBatch, sizeOf } from '../../../src/rules/supplier/records.ts'
import type { Db, Trx } from '../../database.ts'
import { type PageRequest, readPage } from '../../paging.ts'
import { prepared } from '../../prepared.ts'
import type { SyncTables, SyncType } from '../../tables/sync.ts'
import { takenForDead } from '../operations/job-runs.ts'
import type { Imported } from './import.ts'

export type SyncRunRow = Selectable<SyncTables['sync_runs']>

/**
 * Locks the row of a run until the transaction ends. Each transaction of a run does so after its other locks, because a
 * paused process doesn't notice that it lost the sync's lock to another one.
 * @throws Error when another process has recorded the run as failed
 */
export async function lockRun(trx: Trx, id: number) {
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

/** Lists the runs in progress that have read and written everything. */
export async function listImportedRuns(db: Db): Promise<number[]> {
  const running = db.selectFrom('sync_runs').select('id').where('status', '=', 'RUNNING')
  return (await running.where('imported', '=', true).execute()).map(({ id }) => id)
}

export function insertRun(trx: Trx, values: Insertable<SyncTables['sync_runs']>): Promise<SyncRunRow> {
  return trx.insertInto('sync_runs').values(values).returningAll().executeTakeFirstOrThrow()
}

export function findRun(db: Db, id: number): Promise<SyncRunRow | undefined> {
  return db.selectFrom('sync_runs').selectAll().where('id', '=', id).executeTakeFirst()
}

/** Newest first. */
export function listRuns(db: Db, page: PageRequest) {
  return readPage(db.selectFrom('sync_runs').selectAll().orderBy('id', 'desc'), page)
}

export function listRunTypes(db: Db, runIds: number[]) {
  return db.selectFrom('sync_run_types').selectAll().where('run_id', '=', sql<number>`any(${runIds}::int[])`).execute()
}

/** Products that the last complete full load listed; undefined without one. */
export async function countLastFullLoad(db: Db): Promise<number | undefined> {
  const last = await db
    .selectFrom('sync_run_types')
    .innerJoin('sync_runs', 'sync_runs.id', 'sync_run_types.run_id')
    .select('sync_run_types.seen')
    .where('sync_runs.status', '=', 'SUCCEEDED')
    .where('sync_type', '=', 'PRODUCTS')
    .where('full_load', '=', true)
    .orderBy('run_id', 'desc')
    .limit(1)
    .executeTakeFirst()
  return last?.seen
}

const MAX_SKIPPED = 1000

/** Lists the first 1000. */
export function listSkippedRecords(db: Db, runId: number) {
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
  const query = trx
    .with('run', (db) =>
      db.selectFrom('sync_runs').select('id').where('id', '=', runId).where('status', '=', 'RUNNING').forNoKeyUpdate(),
    )
    .with('unseen', (db) =>
      db
        .insertInto('sync_seen_products')
        .columns(['run_id', 'external_id'])
        .expression(
          db
            .selectFrom([
              'run',
              sql<{ external_id: string }>`unnest(${products}::text[])`.as<'listed'>(sql`listed(external_id)`),
            ])
            .select(['run.id', 'listed.external_id']),
        )
        .onConflict((conflict) => conflict.doNothing())
        .returning('external_id'),
    )
    .updateTable('sync_run_types as t')
    .from('run')
    .set(({ eb }) => ({
      seen: eb('t.seen', '+', sizeOf(batch)),
      created: eb('t.created', '+', created),
      updated: eb('t.updated', '+', updated),
      unchanged: eb('t.unchanged', '+', unchanged),
      skipped: eb('t.skipped', '+', rejected.length),
    }))
    .whereRef('t.run_id', '=', 'run.id')
    .where('t.sync_type', '=', type)
    .returning(({ selectFrom }) => [
      sql<string[]>`array(${selectFrom('unseen').select('external_id')})`.as('unseen'),
      sql<string>`set_config('synchronous_commit', 'off', true)`.as('synchronous_commit'),
    ])
  const [recorded] = await prepared(trx, query)
  if (recorded === undefined) throw takenForDead()
  if (rejected.length > 0) {
    await trx
      .insertInto('sync_skipped_records')
      .columns(['run_id', 'sync_type', 'external_id', 'reason'])
      .expression((eb) =>
        eb
          .selectFrom(
            sql<RejectedRecord>`json_to_recordset(${JSON.stringify(rejected)}::json)`.as<'i'>(
              sql`i("externalId" text, reason text)`,
            ),
          )
          .select(({ val }) => [val(runId).as('run_id'), val(type).as('sync_type'), 'externalId', 'reason']),
      )
      .execute()
  }
  return recorded.unseen
}

/**
 * Refreshes the planner's statistics in the middle of a load. If autovacuum visits a table before its first rows are
 * committed, it records an empty table, and the planner then scans the whole table for each row.
 */
export async function analyzeLoadedTables(db: Db): Promise<void> {
  await db.transaction().execute(async (trx) => {
    // Sizes and rough shares are enough here; a larger sample takes ten times as long.
    await trx
      .selectNoFrom(sql`set_config('default_statistics_target', '10', true)`.as('default_statistics_target'))
      .execute()
    // The builder has no analyze. The columns are those by which a load's own statements find rows; sampling wide texts
    // would take ten times as long.
    await sql`
      analyze products (id, external_id, supplier_active, category_id, brand_id),
        product_attributes (product_id, source, position), slug_history (kind, slug, base, suffix), categories,
        sync_seen_products, sync_missed`.execute(trx)
  })
}
