import { sql } from 'kysely'
import { jsonArrayFrom } from 'kysely/helpers/postgres'
import type { FeedProduct } from '../../../src/rules/published/feeds.ts'
import type { Db } from '../../database.ts'
import { availableQuantity } from '../stock/availability.ts'

type FeedPage = {
  /** Id of the last product of the page before. */
  after: number
  limit: number
  visibleCategories: number[]
  maxImages: number
  maxAttributes: number
  maxDescriptionLength: number
}

/** Lists products for sale in visible categories by id, with images and attributes. */
export function listFeedProducts(db: Db, page: FeedPage): Promise<FeedProduct[]> {
  return db
    .selectFrom('products')
    .leftJoin('brands', 'brands.id', 'products.brand_id')
    .where('products.id', '>', page.after)
    .where('products.active', '=', true)
    .where('products.final_price', '>', '0')
    .where('products.category_id', '=', sql<number>`any(${page.visibleCategories}::int[])`)
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
      sql<string | null>`left(products.description, ${page.maxDescriptionLength}::int)`.as('description'),
      jsonArrayFrom(
        eb
          .selectFrom('product_images')
          .innerJoin('images', 'images.id', 'product_images.image_id')
          .whereRef('product_images.product_id', '=', 'products.id')
          .select(['product_images.image_id as id', 'content_type'])
          .orderBy('display_order')
          .orderBy('product_images.image_id')
          .limit(page.maxImages),
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
          .limit(page.maxAttributes),
      ).as('attributes'),
    ])
    .orderBy('products.id')
    .limit(page.limit)
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
