import { type Selectable, sql, type Updateable } from 'kysely'
import { jsonObjectFrom } from 'kysely/helpers/postgres'
import type { Db, Trx } from '../../database.ts'
import { type PageRequest, readPage } from '../../paging.ts'
import type { CatalogueTables } from '../../tables/catalogue.ts'

const slug = sql<string>`coalesce(brands.slug, 'brand-' || brands.id)`

/** `product_count`: active products. */
function brandRows(db: Db) {
  return db
    .selectFrom('brands')
    .selectAll('brands')
    .select(slug.as('slug'))
    .select(({ selectFrom }) => {
      const image = selectFrom('images').select(['images.id', 'images.sha256'])
      return jsonObjectFrom(image.whereRef('images.id', '=', 'brands.image_id')).as('image')
    })
    .select((eb) =>
      eb
        .selectFrom('products')
        .select(eb.fn.countAll<number>().as('count'))
        .whereRef('products.brand_id', '=', 'brands.id')
        .where('products.active', '=', true)
        .$asScalar()
        .$notNull()
        .as('product_count'),
    )
}

export type BrandRow = Awaited<ReturnType<typeof listBrands>>[number]

export function listBrands(db: Db) {
  return byName(db).execute()
}

export function listBrandPage(db: Db, page: PageRequest) {
  return readPage(byName(db), page)
}

function byName(db: Db) {
  return brandRows(db)
    .orderBy('brands.name', (name) => name.collate('ru-x-icu'))
    .orderBy('brands.id')
}

export function findBrand(db: Db, id: number) {
  return brandRows(db).where('brands.id', '=', id).executeTakeFirst()
}

export type BrandLink = Awaited<ReturnType<typeof listBrandLinks>>[number]

export function listBrandLinks(db: Db) {
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
    .set({ ...values, version: sql`version + 1`, updated_at: sql`now()` })
    .where('id', '=', id)
    .execute()
}
