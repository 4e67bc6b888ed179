import { type Selectable, sql, type Updateable } from 'kysely'
import type { Db, Trx } from '../../database.ts'
import type { CatalogueTables, BrandRow as StoredBrand } from '../../tables/catalogue.ts'

export type BrandRow = StoredBrand & {
  slug: string
  /** Active products. */
  product_count: number
}

const slug = sql<string>`coalesce(slug, 'brand-' || id)`

const withCounts = sql`
  select brands.*, ${slug} as slug,
    (select count(*) from products where brand_id = brands.id and active)::int as product_count
  from brands`

export async function listBrands(db: Db): Promise<BrandRow[]> {
  const { rows } = await sql<BrandRow>`${withCounts} order by name collate "ru-x-icu", id`.execute(db)
  return rows
}

export async function findBrand(db: Db, id: number): Promise<BrandRow | undefined> {
  const { rows } = await sql<BrandRow>`${withCounts} where id = ${id}`.execute(db)
  return rows[0]
}

export type BrandLink = { id: number; name: string; slug: string }

export function listBrandLinks(db: Db): Promise<BrandLink[]> {
  return db
    .selectFrom('brands')
    .select(['id', 'name', slug.as('slug')])
    .execute()
}

export function lockBrand(trx: Trx, id: number): Promise<Selectable<CatalogueTables['brands']> | undefined> {
  return trx.selectFrom('brands').selectAll().where('id', '=', id).forUpdate().executeTakeFirst()
}

/** Undefined columns keep their values. */
export async function updateBrand(trx: Trx, id: number, values: Updateable<CatalogueTables['brands']>): Promise<void> {
  await trx
    .updateTable('brands')
    .set({ ...values, updated_at: sql`now()` })
    .where('id', '=', id)
    .execute()
}
