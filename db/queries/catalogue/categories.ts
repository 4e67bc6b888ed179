import type { NotNull } from 'kysely'
import type { Db } from '../../database.ts'
import type { CategoryRow } from '../../tables/categories.ts'

export function listCategories(db: Db): Promise<CategoryRow[]> {
  return db.selectFrom('categories').selectAll().execute()
}

export type CategoryCount = { category_id: number; count: number }

/** How many active products stand directly in each category that has any. */
export function countActiveProductsByCategory(db: Db): Promise<CategoryCount[]> {
  return db
    .selectFrom('products')
    .select(({ fn }) => ['category_id', fn.countAll<number>().as('count')])
    .where('category_id', 'is not', null)
    .where('active', '=', true)
    .groupBy('category_id')
    .$narrowType<{ category_id: NotNull }>()
    .execute()
}

/** The category that has or had the slug. */
export async function findCategoryIdBySlug(db: Db, slug: string): Promise<number | null> {
  const row = await db
    .selectFrom('slug_history')
    .select('entity_id')
    .where('kind', '=', 'category')
    .where('slug', '=', slug)
    .executeTakeFirst()
  return row?.entity_id ?? null
}
