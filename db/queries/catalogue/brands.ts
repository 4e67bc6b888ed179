import { sql } from 'kysely'
import type { Db } from '../../database.ts'

export type BrandRow = {
  id: number
  external_id: string | null
  name: string
  /** Active products. */
  product_count: number | null
}

/** By name. */
export function listBrands(db: Db): Promise<BrandRow[]> {
  return selectBrands(db).orderBy(sql`brands.name collate "ru-x-icu"`).orderBy('brands.id').execute()
}

export function findBrand(db: Db, id: number): Promise<BrandRow | undefined> {
  return selectBrands(db).where('brands.id', '=', id).executeTakeFirst()
}

function selectBrands(db: Db) {
  return db.selectFrom('brands').select((eb) => [
    'brands.id',
    'brands.external_id',
    'brands.name',
    eb
      .selectFrom('products')
      .select(({ fn }) => fn.countAll<number>().as('count'))
      .whereRef('brand_id', '=', 'brands.id')
      .where('active', '=', true)
      .as('product_count'),
  ])
}

export type BrandNameRow = { id: number; name: string }

/** In no order. */
export function listBrandNames(db: Db): Promise<BrandNameRow[]> {
  return db.selectFrom('brands').select(['id', 'name']).execute()
}
