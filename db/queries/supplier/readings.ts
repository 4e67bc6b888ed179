import { sql, type Updateable } from 'kysely'
import type { StoredReading } from '../../../src/rules/supplier/readings.ts'
import type { Db, Trx } from '../../database.ts'
import { lockWork } from '../../locks.ts'
import { SYNC_TYPES, type SyncTables, type SyncType } from '../../tables/sync.ts'

const TABLES = { CATEGORIES: 'categories', BRANDS: 'brands', PRODUCTS: 'products' } as const

export function listSyncStates(db: Db) {
  return db.selectFrom('sync_state').selectAll().orderBy('sync_type').execute()
}

/** Also discards the state of a run in progress. */
export async function clearSyncStates(trx: Trx): Promise<void> {
  await discardRunningState(trx)
  await trx.deleteFrom('sync_state').execute()
}

/** Keeps a run in progress from storing how far it has read. */
async function discardRunningState(trx: Trx): Promise<void> {
  await trx.updateTable('sync_runs').set({ state_discarded: true }).where('status', '=', 'RUNNING').execute()
}

export function findReading(db: Db, type: SyncType): Promise<StoredReading> {
  const records = db
    .selectFrom(db.dynamic.table(TABLES[type]).as('t'))
    .select('t.id')
    .where('t.external_id', 'is not', null)
  return db
    .selectNoFrom(({ selectFrom, exists }) => [
      selectFrom('sync_state').select('last_sync_time').where('sync_type', '=', type).as('lastSyncTime'),
      selectFrom('sync_state').select('next_sync_time').where('sync_type', '=', type).as('nextSyncTime'),
      selectFrom('sync_full_loads').select('trusted_at').where('sync_type', '=', type).as('fullLoadAt'),
      exists(records).$castTo<boolean>().as('filled'),
    ])
    .executeTakeFirstOrThrow()
}

/** Makes the next reading of these types a full load, and keeps the stored states. */
export async function requireFullLoads(trx: Trx, types: readonly SyncType[] = SYNC_TYPES): Promise<void> {
  await trx.updateTable('sync_full_loads').set({ trusted_at: null }).where('sync_type', 'in', types).execute()
}

/** Makes the next run read all products; the state of a run in progress is discarded, as it may have passed the product. */
export async function requireProductLoad(trx: Trx): Promise<void> {
  await discardRunningState(trx)
  await requireFullLoads(trx, ['PRODUCTS'])
}

/** Stores how far a type was read. Requires lockRun, and that the state was not discarded since the run began. */
export async function storeReading(
  trx: Trx,
  type: SyncType,
  reading: { lastSyncTime: Date; nextSyncTime: Date | null },
): Promise<void> {
  const times = { last_sync_time: reading.lastSyncTime, next_sync_time: reading.nextSyncTime }
  await trx
    .insertInto('sync_state')
    .values({ sync_type: type, ...times })
    .onConflict((conflict) => conflict.column('sync_type').doUpdateSet(times))
    .execute()
}

/** Whether there is a catalogue: not just the beginning of the supplier's first list. */
export async function wasEverFilled(db: Db): Promise<boolean> {
  const { filled } = await db
    .selectNoFrom(({ or, and, not, exists, selectFrom }) =>
      or([
        exists(selectFrom('sync_state').select('sync_type').where('sync_type', '=', 'PRODUCTS')),
        and([
          exists(selectFrom('products').select('id')),
          not(
            and([
              exists(selectFrom('products').select('id').where('external_id', 'is not', null)),
              exists(selectFrom('sync_runs').select('id')),
              not(exists(selectFrom('sync_full_loads').select('sync_type').where('sync_type', '=', 'PRODUCTS'))),
            ]),
          ),
        ]),
      ])
        .$castTo<boolean>()
        .as('filled'),
    )
    .executeTakeFirstOrThrow()
  return filled
}

/** Clears the marks of earlier runs. Requires lockRun. */
export async function clearSeenProducts(trx: Trx): Promise<void> {
  // The builder has no truncate.
  await sql`truncate sync_seen_products`.execute(trx)
}

/** Active products of the supplier. */
function activeProducts(trx: Trx) {
  return trx.selectFrom('products as p').where('p.external_id', 'is not', null).where('p.supplier_active', '=', true)
}

/** Whether the run has not seen the product `p`. */
const isMissed = (runId: number) => sql<boolean>`not exists (
  select from sync_seen_products seen where seen.run_id = ${runId}::int and seen.external_id = p.external_id)`

/** Compares a full load with our active products and with the full load before it. */
export function measureFullLoad(trx: Trx, runId: number) {
  return trx
    .with(
      (cte) => cte('ours').materialized(),
      () => activeProducts(trx).select(['p.external_id', isMissed(runId).as('missed')]),
    )
    .selectFrom('ours')
    .leftJoin('sync_missed as before', (join) =>
      join.on('before.sync_type', '=', 'PRODUCTS').onRef('before.external_id', '=', 'ours.external_id'),
    )
    .select(({ fn, lit, selectFrom }) => [
      fn.countAll<number>().as('all'),
      fn.countAll<number>().filterWhere('ours.missed', '=', true).as('missed'),
      fn.count<number>('before.external_id').as('missedBefore'),
      fn.count<number>('before.external_id').filterWhere('ours.missed', '=', true).as('missedTwice'),
      fn
        .coalesce(selectFrom('sync_full_loads').select('empty').where('sync_type', '=', 'PRODUCTS'), lit(false))
        .as('emptyBefore'),
    ])
    .executeTakeFirstOrThrow()
}

/** Deactivates products that this full load and the one before missed, and counts them in the run. @returns their ids */
export async function deactivateMissed(trx: Trx, runId: number): Promise<number[]> {
  await lockWork(trx, 'productRows')
  const missedTwice = activeProducts(trx)
    .select('p.id')
    .where(isMissed(runId))
    .where(({ exists, selectFrom }) =>
      exists(
        selectFrom('sync_missed as before')
          .select('before.external_id')
          .where('before.sync_type', '=', 'PRODUCTS')
          .whereRef('before.external_id', '=', 'p.external_id'),
      ),
    )
  const rows = await trx
    .with('deactivated', (db) =>
      db
        .updateTable('products')
        .set({ supplier_active: false, updated_at: sql`now()` })
        .where('id', 'in', missedTwice)
        .returning('id'),
    )
    .with('counted', (db) =>
      db
        .updateTable('sync_run_types')
        .set(({ selectFrom, fn }) => ({
          deactivated: selectFrom('deactivated').select(fn.countAll<number>().as('count')),
        }))
        .where('run_id', '=', runId)
        .where('sync_type', '=', 'PRODUCTS'),
    )
    .selectFrom('deactivated')
    .select('id')
    .execute()
  return rows.map(({ id }) => id)
}

/** Stores what the full load missed, for the next one. Requires lockRun. */
export async function storeMissed(trx: Trx, runId: number): Promise<void> {
  await trx.deleteFrom('sync_missed').execute()
  await trx
    .insertInto('sync_missed')
    .columns(['sync_type', 'external_id'])
    .expression(
      activeProducts(trx)
        .select(({ val }) => [val('PRODUCTS').as('sync_type'), 'p.external_id'])
        .where(isMissed(runId)),
    )
    .execute()
}

/** Records a full load that was read to its end. Requires lockRun. */
export async function recordFullLoad(
  trx: Trx,
  type: SyncType,
  values: Updateable<Pick<SyncTables['sync_full_loads'], 'empty' | 'trusted_at'>>,
): Promise<void> {
  await trx
    .insertInto('sync_full_loads')
    .values({ sync_type: type, ...values })
    .onConflict((conflict) => conflict.column('sync_type').doUpdateSet(values))
    .execute()
}
