import { type Insertable, sql, type Updateable } from 'kysely'
import type { Trx } from '../../database.ts'
import { LOCKS } from '../../locks.ts'
import type { CategoriesTable, CategoryRow } from '../../tables/categories.ts'
import { lockProductRows } from './product-edits.ts'

/** Until the transaction ends nobody else writes categories: taken before anything of them is read or locked. */
export async function lockCategoryTree(trx: Trx): Promise<void> {
  await sql`select pg_advisory_xact_lock(${LOCKS.categoryTree}::int)`.execute(trx)
}

export function findCategory(trx: Trx, id: number): Promise<CategoryRow | undefined> {
  return trx.selectFrom('categories').selectAll().where('id', '=', id).executeTakeFirst()
}

/** The id that the next category will have, for its slug. */
export async function nextCategoryId(trx: Trx): Promise<number> {
  const { rows } = await sql<{ id: number }>`
    select nextval(pg_get_serial_sequence('categories', 'id'))::int as id`.execute(trx)
  const [row] = rows
  if (row === undefined) throw new Error('The sequence gave no id')
  return row.id
}

export function insertCategory(trx: Trx, values: Insertable<CategoriesTable>): Promise<CategoryRow> {
  return trx.insertInto('categories').values(values).returningAll().executeTakeFirstOrThrow()
}

/** Undefined fields stay as they are. */
export function updateCategory(
  trx: Trx,
  id: number,
  values: Updateable<CategoriesTable>,
): Promise<CategoryRow> {
  return trx
    .updateTable('categories')
    .set({ ...values, version: sql`version + 1`, updated_at: sql`now()` })
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirstOrThrow()
}

/** Numbers siblings from 0 in the order given. @returns the ids of those whose number changed */
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
 * Deletes a category; its products are in none then, and what is right below it comes to the top for good.
 * @returns the ids of those that came to the top
 */
export async function deleteCategory(trx: Trx, id: number): Promise<number[]> {
  // Its products lose it.
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

/** Switches categories off. @returns the ids of those that were on */
export async function disableCategories(trx: Trx, ids: number[], reason: string): Promise<number[]> {
  const { rows } = await sql<{ id: number }>`
    update categories
    set enabled = false, hidden_reason = ${reason}, version = version + 1, updated_at = now()
    where id = any(${ids}::int[]) and enabled
    returning id`.execute(trx)
  return rows.map(({ id }) => id)
}
