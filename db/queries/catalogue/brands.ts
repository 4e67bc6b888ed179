import { sql } from 'kysely'
import type { Db } from '../../database.ts'

/** Brands by name, with how many active products each has. */
export function listBrands(db: Db) {
  return selectBrands(db).orderBy(sql`brands.name collate "ru-x-icu"`).orderBy('brands.id').execute()
}

export function findBrand(db: Db, id: number) {
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
