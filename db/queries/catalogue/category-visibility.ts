import { sql } from 'kysely'
import type { Db, Trx } from '../../database.ts'
import { LOCKS } from '../../locks.ts'
import type { CategoryFilterRow } from '../../tables/category-filters.ts'

/** In order of creation. */
export function listCategoryFilters(db: Db): Promise<CategoryFilterRow[]> {
  return db.selectFrom('category_regex_filters').selectAll().orderBy('id').execute()
}

export async function countCategoryFilters(db: Db): Promise<number> {
  const { count } = await db
    .selectFrom('category_regex_filters')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow()
  return count
}

/** Serializes runs of the auto-hide job, so that each sees what the run before it wrote. */
export async function lockCategoryVisibility(trx: Trx): Promise<void> {
  await sql`select pg_advisory_xact_lock(${LOCKS.categoryVisibility}::int)`.execute(trx)
}

/** Whether all products of the supplier are here: everything was read once, and the last run succeeded. */
export async function isCatalogueComplete(db: Db): Promise<boolean> {
  const { rows } = await sql<{ complete: boolean }>`
    select (select count(*) from sync_state where sync_type in ('CATEGORIES', 'PRODUCTS')) = 2
      and coalesce((select status = 'SUCCEEDED' from sync_runs order by id desc limit 1), true) as complete`.execute(
    db,
  )
  return rows[0]?.complete === true
}

/** Writes only changes. @returns the ids of the categories that changed */
export async function setAutoHidden(
  trx: Trx,
  { hide, show }: { hide: number[]; show: number[] },
): Promise<number[]> {
  const { rows } = await sql<{ id: number }>`
    update categories c
    set auto_hidden_by_visibility_sync = wanted.hidden, updated_at = now()
    from (
      select id, true as hidden from unnest(${hide}::int[]) id
      union all
      select id, false from unnest(${show}::int[]) id
    ) wanted
    where c.id = wanted.id and c.auto_hidden_by_visibility_sync <> wanted.hidden
    returning c.id`.execute(trx)
  return rows.map(({ id }) => id)
}
