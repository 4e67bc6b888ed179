import type { NotNull } from 'kysely'
import type { Db } from '../../database.ts'
import type { CategoryRow } from '../../tables/categories.ts'

export function listCategories(db: Db): Promise<CategoryRow[]> {
  return db.selectFrom('categories').selectAll().execute()
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
