import { sql } from 'kysely'
import type { Db } from '../../database.ts'
import type { BrandRow as StoredBrand } from '../../tables/catalogue.ts'

export type BrandRow = Omit<StoredBrand, 'slug'> & {
  slug: string
  /** Active products. */
  product_count: number | null
}

const slug = sql<string>`coalesce(brands.slug, 'brand-' || brands.id)`.as('slug')

/** Lists brands by name. */
export function listBrands(db: Db): Promise<BrandRow[]> {
  return selectBrands(db).orderBy(sql`brands.name collate "ru-x-icu"`).orderBy('brands.id').execute()
}

export function findBrand(db: Db, id: number): Promise<BrandRow | undefined> {
  return selectBrands(db).where('brands.id', '=', id).executeTakeFirst()
}

function selectBrands(db: Db) {
  return db
    .selectFrom('brands')
    .selectAll('brands')
    .select(({ selectFrom }) => [
      slug,
      selectFrom('products')
        .select(({ fn }) => fn.countAll<number>().as('count'))
        .whereRef('brand_id', '=', 'brands.id')
        .where('active', '=', true)
        .as('product_count'),
    ])
}

export type BrandLink = { id: number; name: string; slug: string }

/** Lists all brands in no order. */
export function listBrandLinks(db: Db): Promise<BrandLink[]> {
  return db.selectFrom('brands').select(['id', 'name', slug]).execute()
}
