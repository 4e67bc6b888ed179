import { type Insertable, sql, type Updateable } from 'kysely'
import type { Db, Trx } from '../../database.ts'
import { lockWork } from '../../locks.ts'
import type { CatalogueTables, CategoryRow } from '../../tables/catalogue.ts'

/** The number of active products directly in each category that has any. */
export async function countActiveProductsByCategory(db: Db) {
  const rows = await db
    .selectFrom('products')
    .select(({ fn }) => ['category_id', fn.countAll<number>().as('count')])
    .where('category_id', 'is not', null)
    .where('active', '=', true)
    .groupBy('category_id')
    .$narrowType<{ category_id: number }>()
    .execute()
  return new Map(rows.map(({ category_id, count }) => [category_id, count]))
}

/**
 * Numbers siblings from 0 in the given order.
 * @param moved those that get a new version; the others only make room for them
 * @returns the ids of those that changed
 */
export async function numberCategories(trx: Trx, ids: number[], moved: number[]) {
  const isMoved = sql<boolean>`categories.id = any(${moved}::int[])`
  const wanted = sql<{ id: number; position: number }>`unnest(${ids}::int[]) with ordinality`
  const rows = await trx
    .updateTable('categories')
    .from(wanted.as<'wanted'>(sql`wanted (id, position)`))
    .set((eb) => ({
      display_order: eb('wanted.position', '-', 1),
      version: sql<number>`categories.version + (${isMoved})::int`,
      updated_at: sql<Date>`now()`,
    }))
    .whereRef('categories.id', '=', 'wanted.id')
    .where((eb) => eb.or([isMoved, eb('categories.display_order', '!=', eb('wanted.position', '-', 1))]))
    .returning('categories.id')
    .execute()
  return rows.map(({ id }) => id)
}

/**
 * Deletes a category; the sync doesn't bring it back. Its products are left without one, its children move to the top.
 * @returns the ids of the children
 */
export async function deleteCategory(trx: Trx, id: number) {
  // The foreign key updates its products.
  await lockWork(trx, 'productRows')
  const children = await trx
    .updateTable('categories')
    .set((eb) => ({
      parent_id: null,
      parent_external_id: null,
      version: eb('version', '+', 1),
      updated_at: sql<Date>`now()`,
    }))
    .where('parent_id', '=', id)
    .where('id', '!=', id)
    .returning('id')
    .execute()
  await trx
    .with('deleted', (cte) => cte.deleteFrom('categories').where('id', '=', id).returning('external_id'))
    .insertInto('deleted_categories')
    .columns(['external_id'])
    .expression((eb) => eb.selectFrom('deleted').select('external_id').where('external_id', 'is not', null))
    .onConflict((conflict) => conflict.doNothing())
    .execute()
  return children.map((child) => child.id)
}

export async function disableCategories(trx: Trx, ids: number[], reason: string): Promise<void> {
  await trx
    .updateTable('categories')
    .set((eb) => ({
      enabled: false,
      hidden_reason: reason,
      version: eb('version', '+', 1),
      updated_at: sql<Date>`now()`,
    }))
    .where('id', '=', sql<number>`any(${ids}::int[])`)
    .execute()
}

/**
 * Hides exactly the matched and the unused categories automatically. Unless the last sync has succeeded, no further ones count
 * as unused: their products may be missing.
 * @returns those that are hidden or shown now
 */
export function setAutoHidden(trx: Trx, matched: number[], unused: number[]) {
  return trx
    .updateTable('categories')
    .set((eb) => ({
      auto_hidden_by_visibility_sync: eb.not('auto_hidden_by_visibility_sync'),
      updated_at: sql<Date>`now()`,
    }))
    .where((eb) => {
      const lastSyncSucceeded = eb
        .selectFrom('sync_runs')
        .select((run) => run('status', '=', 'SUCCEEDED').as('succeeded'))
        .orderBy('id', 'desc')
        .limit(1)
      const mayBeHidden = eb.or([
        eb.ref('auto_hidden_by_visibility_sync'),
        eb.fn.coalesce(lastSyncSucceeded, eb.lit(true)),
      ])
      const isHidden = eb.or([
        eb('id', '=', sql<number>`any(${matched}::int[])`),
        eb.and([eb('id', '=', sql<number>`any(${unused}::int[])`), mayBeHidden]),
      ])
      return eb(isHidden, '!=', eb.ref('auto_hidden_by_visibility_sync'))
    })
    .returning(['id', 'auto_hidden_by_visibility_sync as hidden'])
    .execute()
}

export function listCategories(db: Db): Promise<CategoryRow[]> {
  return db.selectFrom('categories').selectAll().orderBy('id').execute()
}

export function insertCategory(trx: Trx, values: Insertable<CatalogueTables['categories']>): Promise<CategoryRow> {
  return trx.insertInto('categories').values(values).returningAll().executeTakeFirstOrThrow()
}

/** Undefined columns keep their values. */
export function updateCategory(
  trx: Trx,
  id: number,
  values: Updateable<CatalogueTables['categories']>,
): Promise<CategoryRow> {
  return trx
    .updateTable('categories')
    .set({ ...values, version: sql`version + 1`, updated_at: sql`now()` })
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirstOrThrow()
}

export function findCategories(db: Db, ids: number[]): Promise<CategoryRow[]> {
  return db.selectFrom('categories').selectAll().where('id', '=', sql<number>`any(${ids}::int[])`).execute()
}
