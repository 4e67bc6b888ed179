import { sql } from 'kysely'
import { jsonArrayFrom } from 'kysely/helpers/postgres'
import type { FeedProduct } from '../../../src/rules/published/feeds.ts'
import type { Db } from '../../database.ts'
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
export function listFeedProducts(db: Db, visibleCategories: number[], after: number): Promise<FeedProduct[]> {
  return db
    .selectFrom('products')
    .leftJoin('brands', 'brands.id', 'products.brand_id')
    .where('products.id', '>', after)
    .where('products.active', '=', true)
    .where('products.final_price', '>', '0')
    .where('products.category_id', '=', sql<number>`any(${visibleCategories}::int[])`)
    .select((eb) => [
      'products.id',
      'products.external_id',
      'products.name',
      'products.slug',
      'brands.name as vendor',
      sql<string>`products.final_price`.as('final_price'),
      sql<number>`products.category_id`.as('category_id'),
      sql<string | null>`case when site_price < price then price end`.as('old_price'),
      availableQuantity.as('available_quantity'),
      sql<string | null>`left(products.description, ${MAX_DESCRIPTION_LENGTH}::int)`.as('description'),
      jsonArrayFrom(
        eb
          .selectFrom('product_images')
          .innerJoin('images', 'images.id', 'product_images.image_id')
          .whereRef('product_images.product_id', '=', 'products.id')
          .select(['product_images.image_id as id', 'content_type'])
          .orderBy('display_order')
          .orderBy('product_images.image_id')
          .limit(MAX_IMAGES),
      ).as('images'),
      jsonArrayFrom(
        eb
          .selectFrom('product_attributes as attribute')
          .whereRef('attribute.product_id', '=', 'products.id')
          .where('attribute.name', 'is not', null)
          .select(['attribute.name', 'attribute.value', 'attribute.source'])
          .$narrowType<{ name: string }>()
          // By precedence, so that the limit does not cut off overriding attributes.
          .orderBy(sql`array_position(array['MANUAL', 'EXTERNAL'], attribute.source)`)
          .orderBy('attribute.position')
          .limit(MAX_ATTRIBUTES),
      ).as('attributes'),
    ])
    .orderBy('products.id')
    .limit(PAGE_SIZE)
    .execute()
}

/** Counts the products that listFeedProducts leaves out, by the first reason that applies. */
export async function countExcludedProducts(
  db: Db,
  visibleCategories: number[],
): Promise<{ [reason: string]: number }> {
  const { rows } = await sql<{ reason: string; count: number }>`
    select reason, count(*) as count
    from (
      select case
        when not active then 'INACTIVE'
        when coalesce(final_price, 0) <= 0 then 'NO_PRICE'
        when category_id is null then 'NO_CATEGORY'
        when category_id <> all(${visibleCategories}::int[]) then 'HIDDEN_CATEGORY'
      end as reason
      from products
    ) judged
    where reason is not null
    group by reason
    order by reason`.execute(db)
  return Object.fromEntries(rows.map(({ reason, count }) => [reason, count]))
}

export type SitemapRow = { id: number; slug: string; updated_at: Date }

/** Lists enabled tags by id. */
export function listSitemapTags(db: Db): Promise<SitemapRow[]> {
  return db.selectFrom('tags').select(['id', 'slug', 'updated_at']).where('enabled', '=', true).orderBy('id').execute()
}

/** Lists active products, newest first. @param before id of the last product of the previous page */
export function listSitemapProducts(
  db: Db,
  { before, limit }: { before: number | null; limit: number },
): Promise<SitemapRow[]> {
  return db
    .selectFrom('products')
    .select(['id', 'slug', 'updated_at'])
    .where('active', '=', true)
    .$if(before !== null, (query) => query.where('id', '<', sql<number>`${before}::int`))
    .orderBy('id', 'desc')
    .limit(limit)
    .execute()
}
