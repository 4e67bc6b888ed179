import { type Insertable, sql, type Updateable } from 'kysely'
import type { Db, Trx } from '../../database.ts'
import { lockWork } from '../../locks.ts'
import type { CatalogueTables, CategoryRow } from '../../tables/catalogue.ts'

/** The number of active products directly in each category that has any. */
export async function countActiveProductsByCategory(db: Db): Promise<Map<number, number>> {
  const { rows } = await sql<{ category_id: number; count: number }>`
    select category_id, count(*)::int as count from products
    where category_id is not null and active group by category_id`.execute(db)
  return new Map(rows.map(({ category_id, count }) => [category_id, count]))
}

/** Numbers siblings from 0 in the given order. @returns the ids whose number changed */
export async function numberCategories(trx: Trx, ids: number[]): Promise<number[]> {
  const { rows } = await sql<{ id: number }>`
    update categories c
    set display_order = wanted.position - 1, version = c.version + 1, updated_at = now()
    from unnest(${ids}::int[]) with ordinality as wanted(id, position)
    where c.id = wanted.id and c.display_order <> wanted.position - 1
    returning c.id`.execute(trx)
  return rows.map(({ id }) => id)
}

/**
 * Deletes a category; the sync doesn't bring it back. Its products are left without one, its children move to the top.
 * @returns the ids of the children
 */
export async function deleteCategory(trx: Trx, id: number): Promise<number[]> {
  // The foreign key updates its products.
  await lockWork(trx, 'productRows')
  const { rows } = await sql<{ id: number }>`
    update categories
    set parent_id = null, parent_external_id = null, version = version + 1, updated_at = now()
    where parent_id = ${id} and id <> ${id}
    returning id`.execute(trx)
  await sql`
    with deleted as (delete from categories where id = ${id} returning external_id)
    insert into deleted_categories (external_id)
    select external_id from deleted where external_id is not null
    on conflict do nothing`.execute(trx)
  return rows.map((row) => row.id)
}

export async function disableCategories(trx: Trx, ids: number[], reason: string): Promise<void> {
  await sql`
    update categories
    set enabled = false, hidden_reason = ${reason}, version = version + 1, updated_at = now()
    where id = any(${ids}::int[])`.execute(trx)
}

/**
 * Hides exactly the matched and the unused categories automatically. Unless the last sync has succeeded, no further ones count
 * as unused: their products may be missing.
 * @returns those that are hidden or shown now
 */
export async function setAutoHidden(
  trx: Trx,
  matched: number[],
  unused: number[],
): Promise<{ id: number; hidden: boolean }[]> {
  const { rows } = await sql<{ id: number; hidden: boolean }>`
    update categories set auto_hidden_by_visibility_sync = not auto_hidden_by_visibility_sync, updated_at = now()
    where auto_hidden_by_visibility_sync <> (id = any(${matched}::int[]) or (id = any(${unused}::int[]) and (
      auto_hidden_by_visibility_sync
      or coalesce((select status = 'SUCCEEDED' from sync_runs order by id desc limit 1), true))))
    returning id, auto_hidden_by_visibility_sync as hidden`.execute(trx)
  return rows
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
