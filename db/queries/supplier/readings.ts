import { sql, type Updateable } from 'kysely'
import type { FullLoad, StoredReading } from '../../../src/rules/supplier/readings.ts'
import type { Db, Trx } from '../../database.ts'
import { lockWork } from '../../locks.ts'
import { onlyRow } from '../../prepared.ts'
import { SYNC_TYPES, type SyncTables, type SyncType } from '../../tables/sync.ts'

const TABLES = { CATEGORIES: 'categories', BRANDS: 'brands', PRODUCTS: 'products' } as const

export function listSyncStates(db: Db): Promise<SyncTables['sync_state'][]> {
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

export async function findReading(db: Db, type: SyncType): Promise<StoredReading> {
  const { rows } = await sql<StoredReading>`
    select s.last_sync_time as "lastSyncTime", s.next_sync_time as "nextSyncTime", f.trusted_at as "fullLoadAt",
      exists (select from ${sql.table(TABLES[type])} where external_id is not null) as filled
    from (select) one
    left join sync_state s on s.sync_type = ${type}
    left join sync_full_loads f on f.sync_type = ${type}`.execute(db)
  return onlyRow(rows)
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
  const { rows } = await sql<{ filled: boolean }>`
    select exists (select from sync_state where sync_type = 'PRODUCTS')
      or exists (select from products) and not (
        exists (select from products where external_id is not null) and exists (select from sync_runs)
        and not exists (select from sync_full_loads where sync_type = 'PRODUCTS')) as filled`.execute(db)
  return onlyRow(rows).filled
}

/** Clears the marks of earlier runs. Requires lockRun. */
export async function clearSeenProducts(trx: Trx): Promise<void> {
  await sql`truncate sync_seen_products`.execute(trx)
}

/** Active products of the supplier. */
const ACTIVE = sql`products p where p.external_id is not null and p.supplier_active`

/** Whether the run has not seen the product. */
const isMissed = (runId: number) => sql<boolean>`not exists (
  select from sync_seen_products seen where seen.run_id = ${runId}::int and seen.external_id = p.external_id)`

/** Compares a full load with our active products and with the full load before it. */
export async function measureFullLoad(trx: Trx, runId: number): Promise<Omit<FullLoad, 'empty'>> {
  const { rows } = await sql<Omit<FullLoad, 'empty'>>`
    with ours as materialized (select p.external_id, ${isMissed(runId)} as missed from ${ACTIVE})
    select count(*) as all, count(*) filter (where missed) as missed,
      count(before.external_id) as "missedBefore",
      count(*) filter (where missed and before.external_id is not null) as "missedTwice",
      coalesce((select empty from sync_full_loads where sync_type = 'PRODUCTS'), false) as "emptyBefore"
    from ours
    left join sync_missed before
      on before.sync_type = 'PRODUCTS' and before.external_id = ours.external_id`.execute(trx)
  return onlyRow(rows)
}

/** Deactivates products that this full load and the one before missed, and counts them in the run. @returns their ids */
export async function deactivateMissed(trx: Trx, runId: number): Promise<number[]> {
  await lockWork(trx, 'productRows')
  const { rows } = await sql<{ id: number }>`
    with deactivated as (
      update products set supplier_active = false, updated_at = now()
      where id in (
        select p.id from ${ACTIVE} and ${isMissed(runId)}
          and exists (
            select from sync_missed before
            where before.sync_type = 'PRODUCTS' and before.external_id = p.external_id))
      returning id
    ), counted as (
      update sync_run_types set deactivated = (select count(*) from deactivated)
      where run_id = ${runId} and sync_type = 'PRODUCTS'
    )
    select id from deactivated`.execute(trx)
  return rows.map(({ id }) => id)
}

/** Stores what the full load missed, for the next one. Requires lockRun. */
export async function storeMissed(trx: Trx, runId: number): Promise<void> {
  await trx.deleteFrom('sync_missed').execute()
  await sql`
    insert into sync_missed (sync_type, external_id)
    select 'PRODUCTS', p.external_id from ${ACTIVE} and ${isMissed(runId)}`.execute(trx)
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
