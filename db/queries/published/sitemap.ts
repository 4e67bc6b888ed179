import { type Selectable, sql } from 'kysely'
import type { Db } from '../../database.ts'
import type { ProductsTable, TagsTable } from '../../tables/catalogue.ts'

type Listed = 'id' | 'slug' | 'updated_at'

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
