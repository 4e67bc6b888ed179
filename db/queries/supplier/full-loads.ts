import { sql, type Updateable } from 'kysely'
import type { Trx } from '../../database.ts'
import { lockWork } from '../../locks.ts'
import type { SyncTables, SyncType } from '../../tables/sync.ts'

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

/** Deactivates products that this full load and the one before missed, and counts them in the run; staff may keep some active. */
export async function deactivateMissed(trx: Trx, runId: number): Promise<{ id: number; active: boolean }[]> {
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
  return trx
    .with('deactivated', (db) =>
      db
        .updateTable('products')
        .set({ supplier_active: false, updated_at: sql`now()` })
        .where('id', 'in', missedTwice)
        .returning(['id', 'active']),
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
    .select(['id', 'active'])
    .execute()
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
