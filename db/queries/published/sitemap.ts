import { type Selectable, sql } from 'kysely'
import type { CategoryRecord } from '../../../src/rules/catalogue/category-tree.ts'
import type { Db } from '../../database.ts'
import type { CategoryRow } from '../../tables/categories.ts'
import type { ProductsTable } from '../../tables/products.ts'
import type { TagsTable } from '../../tables/tags.ts'

type Listed = 'id' | 'slug' | 'updated_at'

export type SitemapCategory = CategoryRecord & Pick<CategoryRow, Listed>

/** Lists all categories: visibility depends on the position in the tree. */
export function listSitemapCategories(db: Db): Promise<SitemapCategory[]> {
  return db
    .selectFrom('categories')
    .select([
      ...['id', 'slug', 'updated_at', 'name', 'parent_id', 'parent_external_id'],
      ...['enabled', 'auto_hidden_by_visibility_sync', 'display_order'],
    ] as const)
    .execute()
}

/** Lists enabled tags by id. */
export function listSitemapTags(db: Db): Promise<Pick<Selectable<TagsTable>, Listed>[]> {
  return db
    .selectFrom('tags')
    .select(['id', 'slug', 'updated_at'])
    .where('enabled', '=', true)
    .orderBy('id')
    .execute()
}

/** Lists active products, newest first. @param before id of the last product of the previous page */
export function listSitemapProducts(
  db: Db,
  { before, limit }: { before: number | null; limit: number },
): Promise<Pick<Selectable<ProductsTable>, Listed>[]> {
  return db
    .selectFrom('products')
    .select(['id', 'slug', 'updated_at'])
    .where('active', '=', true)
    .$if(before !== null, (query) => query.where('id', '<', sql<number>`${before}::int`))
    .orderBy('id', 'desc')
    .limit(limit)
    .execute()
}
