import { sql } from 'kysely'
import type { Reading } from '../../../src/rules/supplier/watermarks.ts'
import type { Db, Trx } from '../../database.ts'
import { onlyRow } from '../../prepared.ts'
import type { SyncStateTable, SyncType } from '../../tables/sync.ts'

const TABLES = { CATEGORIES: 'categories', BRANDS: 'brands', PRODUCTS: 'products' } as const

export function listSyncStates(db: Db): Promise<SyncStateTable[]> {
  return db.selectFrom('sync_state').selectAll().orderBy('sync_type').execute()
}

/** Also discards the state of a run in progress. */
export async function clearSyncStates(trx: Trx): Promise<void> {
  await trx.updateTable('sync_runs').set({ state_discarded: true }).where('status', '=', 'RUNNING').execute()
  await trx.deleteFrom('sync_state').execute()
}

export async function findReading(db: Db, type: SyncType): Promise<Reading> {
  const { rows } = await sql<Reading>`
    select s.last_sync_time as "lastSyncTime", s.next_sync_time as "nextSyncTime", f.trusted_at as "fullLoadAt",
      exists (select from ${sql.table(TABLES[type])} where external_id is not null) as filled
    from (select) one
    left join sync_state s on s.sync_type = ${type}
    left join sync_full_loads f on f.sync_type = ${type}`.execute(db)
  return onlyRow(rows)
}

/** Makes the next reading of each type a full load, and keeps the stored states. */
export async function requireFullLoads(trx: Trx): Promise<void> {
  await trx.updateTable('sync_full_loads').set({ trusted_at: null }).execute()
}

/** Makes the next run read all products; the state of a run in progress is discarded, as it may have passed the product. */
export async function requireProductLoad(trx: Trx): Promise<void> {
  await trx.updateTable('sync_runs').set({ state_discarded: true }).where('status', '=', 'RUNNING').execute()
  await trx
    .updateTable('sync_full_loads')
    .set({ trusted_at: null })
    .where('sync_type', '=', 'PRODUCTS')
    .execute()
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

/** Whether products were ever read to the end, or exist for another reason. */
export async function wasEverFilled(db: Db): Promise<boolean> {
  const { rows } = await sql<{ filled: boolean }>`
    select exists (select from sync_state where sync_type = 'PRODUCTS') or exists (select from products) as filled
  `.execute(db)
  return onlyRow(rows).filled
}
