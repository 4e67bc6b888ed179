import { sql } from 'kysely'
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
export async function listFeedProducts(db: Db, visibleCategories: number[], after: number): Promise<FeedProduct[]> {
  const { rows } = await sql<FeedProduct>`
    select products.id, products.external_id, products.name, products.slug, brands.name as vendor, final_price, category_id,
      case when site_price < price then price end as old_price, ${availableQuantity} as available_quantity,
      left(products.description, ${MAX_DESCRIPTION_LENGTH}::int) as description,
      array_to_json(array(
        select json_build_object('id', i.id, 'content_type', i.content_type)
        from product_images link join images i on i.id = link.image_id
        where link.product_id = products.id order by link.display_order, i.id limit ${MAX_IMAGES}
      )) as images,
      array_to_json(array(
        select json_build_object('name', a.name, 'value', a.value, 'source', a.source)
        from product_attributes a where a.product_id = products.id and a.name is not null
        -- By precedence, so that the limit does not cut off overriding attributes.
        order by array_position(array['MANUAL', 'EXTERNAL'], a.source), a.position limit ${MAX_ATTRIBUTES}
      )) as attributes
    from products left join brands on brands.id = brand_id
    where products.id > ${after} and active and final_price > 0 and category_id = any(${visibleCategories}::int[])
    order by products.id limit ${PAGE_SIZE}`.execute(db)
  return rows
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
export async function listSitemapProducts(
  db: Db,
  { before, limit }: { before: number | null; limit: number },
): Promise<SitemapRow[]> {
  const { rows } = await sql<SitemapRow>`
    select id, slug, updated_at from products where active and (${before}::int is null or id < ${before}::int)
    order by id desc limit ${limit}`.execute(db)
  return rows
}
