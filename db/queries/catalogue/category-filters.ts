import { type Insertable, type Selectable, sql, type Updateable } from 'kysely'
import type { Db, Trx } from '../../database.ts'
import type { CatalogueTables } from '../../tables/catalogue.ts'

type Filters = CatalogueTables['category_regex_filters']
export type CategoryFilterRow = Selectable<Filters>

export function listCategoryFilters(db: Db): Promise<CategoryFilterRow[]> {
  return db.selectFrom('category_regex_filters').selectAll().orderBy('id').execute()
}

export function lockCategoryFilter(trx: Trx, id: number): Promise<CategoryFilterRow | undefined> {
  return trx.selectFrom('category_regex_filters').selectAll().where('id', '=', id).forUpdate().executeTakeFirst()
}

export function insertCategoryFilter(trx: Trx, values: Insertable<Filters>): Promise<CategoryFilterRow> {
  return trx.insertInto('category_regex_filters').values(values).returningAll().executeTakeFirstOrThrow()
}

/** Undefined columns keep their values. */
export function updateCategoryFilter(trx: Trx, id: number, values: Updateable<Filters>): Promise<CategoryFilterRow> {
  return trx
    .updateTable('category_regex_filters')
    .set({ ...values, version: sql`version + 1`, updated_at: sql`now()` })
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirstOrThrow()
}

export async function deleteCategoryFilter(trx: Trx, id: number): Promise<void> {
  await trx.deleteFrom('category_regex_filters').where('id', '=', id).execute()
}
