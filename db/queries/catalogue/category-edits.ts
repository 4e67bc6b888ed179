import { sql } from 'kysely'
import type { Trx } from '../../database.ts'
import { LOCKS } from '../../locks.ts'
import { lockProductRows } from './product-edits.ts'

/** Serializes writes of categories until the transaction ends. Take it before reading or locking any category. */
export async function lockCategoryTree(trx: Trx): Promise<void> {
  await sql`select pg_advisory_xact_lock(${LOCKS.categoryTree}::int)`.execute(trx)
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
 * Deletes a category. Its products remain without one, its children move to the top for good.
 * @returns the ids of the children
 */
export async function deleteCategory(trx: Trx, id: number): Promise<number[]> {
  // The foreign key updates its products.
  await lockProductRows(trx)
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

/** @returns the ids of those that were enabled */
export async function disableCategories(trx: Trx, ids: number[], reason: string): Promise<number[]> {
  const { rows } = await sql<{ id: number }>`
    update categories
    set enabled = false, hidden_reason = ${reason}, version = version + 1, updated_at = now()
    where id = any(${ids}::int[]) and enabled
    returning id`.execute(trx)
  return rows.map(({ id }) => id)
}
