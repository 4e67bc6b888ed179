import type { StoredWatermark } from '../../../src/rules/supplier/watermarks.ts'
import type { Db, Trx } from '../../database.ts'
import { SYNC_TYPES, type SyncType } from '../../tables/sync.ts'

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

export function findWatermark(db: Db, type: SyncType): Promise<StoredWatermark> {
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

/** Makes the next list of these types a full load, and keeps the stored states. */
export async function requireFullLoads(trx: Trx, types: readonly SyncType[] = SYNC_TYPES): Promise<void> {
  await trx.updateTable('sync_full_loads').set({ trusted_at: null }).where('sync_type', 'in', types).execute()
}

/** Makes the next run read all products; the state of a run in progress is discarded, as it may have passed the product. */
export async function requireProductLoad(trx: Trx): Promise<void> {
  await discardRunningState(trx)
  await requireFullLoads(trx, ['PRODUCTS'])
}

/** Stores how far a type was read. Requires lockRun, and that the state was not discarded since the run began. */
export async function storeWatermark(
  trx: Trx,
  type: SyncType,
  watermark: { lastSyncTime: Date; nextSyncTime: Date | null },
): Promise<void> {
  const times = { last_sync_time: watermark.lastSyncTime, next_sync_time: watermark.nextSyncTime }
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
