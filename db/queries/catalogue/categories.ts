import type { NotNull } from 'kysely'
import type { CategoryRecord } from '../../../src/rules/catalogue/category-tree.ts'
import type { Db } from '../../database.ts'
import type { CategoryRow } from '../../tables/categories.ts'

export function listCategories(db: Db): Promise<CategoryRow[]> {
  return db.selectFrom('categories').selectAll().execute()
}

/** Only the columns that the shape of the tree and the visibility of its categories depend on. */
export function listCategoryPlaces(db: Db): Promise<CategoryRecord[]> {
  return db
    .selectFrom('categories')
    .select([
      'id',
      'name',
      'parent_id',
      'parent_external_id',
      'enabled',
      'auto_hidden_by_visibility_sync',
      'display_order',
    ])
    .execute()
}

/** The number of active products directly in each category that has any. */
export async function countActiveProductsByCategory(db: Db): Promise<Map<number, number>> {
  const rows = await db
    .selectFrom('products')
    .select(({ fn }) => ['category_id', fn.countAll<number>().as('count')])
    .where('category_id', 'is not', null)
    .where('active', '=', true)
    .groupBy('category_id')
    .$narrowType<{ category_id: NotNull }>()
    .execute()
  return new Map(rows.map(({ category_id, count }) => [category_id, count]))
}
