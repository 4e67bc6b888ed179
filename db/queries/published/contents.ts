import { type NotNull, sql } from 'kysely'
import { jsonArrayFrom } from 'kysely/helpers/postgres'
import type { Db } from '../../database.ts'
import { oldPrice } from '../catalogue/products.ts'
import { availableQuantity } from '../stock/reservations.ts'

/** Products read and written at a time, without delaying requests noticeably. */
const PAGE_SIZE = 100
/** The main image and ten more. */
const MAX_IMAGES = 11
/** Of one product: some override others, some are empty. */
const MAX_ATTRIBUTES = 200
/** In characters: many times what feeds may hold, as markup is removed. */
const MAX_DESCRIPTION_LENGTH = 30_000

/**
 * Lists a page of the products for sale in visible categories by id, with images and attributes.
 * @param after id of the last product of the page before
 */
export function listFeedProducts(db: Db, visibleCategories: number[], after: number) {
  return db
    .selectFrom('products')
    .leftJoin('brands', 'brands.id', 'products.brand_id')
    .select(['products.id', 'products.external_id', 'products.name', 'products.slug', 'brands.name as vendor'])
    .select(['final_price', 'category_id', availableQuantity.as('available_quantity'), oldPrice.as('old_price')])
    .select((eb) => [
      sql<string | null>`left(products.description, ${MAX_DESCRIPTION_LENGTH}::int)`.as('description'),
      jsonArrayFrom(
        eb
          .selectFrom('product_images')
          .innerJoin('images', 'images.id', 'product_images.image_id')
          .select(['images.id', 'images.sha256', 'images.content_type'])
          .whereRef('product_images.product_id', '=', 'products.id')
          .orderBy('product_images.display_order')
          .orderBy('images.id')
          .limit(MAX_IMAGES),
      ).as('images'),
      jsonArrayFrom(
        eb
          .selectFrom('product_attributes')
          .select(['name', 'value', 'source'])
          .whereRef('product_attributes.product_id', '=', 'products.id')
          .where('name', 'is not', null)
          .$narrowType<{ name: string }>()
          // By precedence, so that the limit does not cut off overriding attributes.
          .orderBy(sql`array_position(array['MANUAL', 'EXTERNAL'], source)`)
          .orderBy('position')
          .limit(MAX_ATTRIBUTES),
      ).as('attributes'),
    ])
    .where('products.id', '>', after)
    .where('active', '=', true)
    .where('final_price', '>', '0')
    .where('category_id', '=', sql<number>`any(${visibleCategories}::int[])`)
    .$narrowType<{ final_price: string; category_id: number }>()
    .orderBy('products.id')
    .limit(PAGE_SIZE)
    .execute()
}

/** Counts the products that listFeedProducts leaves out, by the first reason that applies. */
export async function countExcludedProducts(db: Db, visibleCategories: number[]) {
  const rows = await db
    .selectFrom((from) =>
      from
        .selectFrom('products')
        .select((eb) =>
          eb
            .case()
            .when('active', '=', false)
            .then('INACTIVE')
            .when(eb.fn.coalesce('final_price', eb.lit(0)), '<=', 0)
            .then('NO_PRICE')
            .when('category_id', 'is', null)
            .then('NO_CATEGORY')
            .when('category_id', '!=', sql<number>`all(${visibleCategories}::int[])`)
            .then('HIDDEN_CATEGORY')
            .end()
            .as('reason'),
        )
        .as('judged'),
    )
    .select(({ fn }) => ['reason', fn.countAll<number>().as('count')])
    .where('reason', 'is not', null)
    .$narrowType<{ reason: NotNull }>()
    .groupBy('reason')
    .orderBy('reason')
    .execute()
  return Object.fromEntries(rows.map(({ reason, count }) => [reason, count]))
}

export type SitemapRow = Awaited<ReturnType<typeof listSitemapTags>>[number]

/** Lists enabled tags by id. */
export function listSitemapTags(db: Db) {
  return db.selectFrom('tags').select(['id', 'slug', 'updated_at']).where('enabled', '=', true).orderBy('id').execute()
}

/** Lists active products, newest first. @param before id of the last product of the previous page */
export function listSitemapProducts(db: Db, { before, limit }: { before: number | null; limit: number }) {
  return db
    .selectFrom('products')
    .select(['id', 'slug', 'updated_at'])
    .where('active', '=', true)
    .$if(before !== null, (query) => query.where('id', '<', before))
    .orderBy('id', 'desc')
    .limit(limit)
    .execute()
}
