import { type ExpressionBuilder, type RawBuilder, sql } from 'kysely'
import type { BulkChange } from '../../../src/rules/catalogue/bulk-edit.ts'
import { PRODUCT_OVERRIDES, type ProductOverride } from '../../../src/rules/catalogue/product-fields.ts'
import type { Db, Tables, Trx } from '../../database.ts'

/** The effect of a bulk edit on a product. */
export type BulkRow = Awaited<ReturnType<typeof previewBulkEdit>>[number]

/** The effect of the change on each product, by id. `new_site_price`: decimal text; null without a new price. */
export function previewBulkEdit(db: Db, ids: number[], change: BulkChange) {
  const price: RawBuilder<string | null> = sitePriceOf(change) ?? sql`null`
  return db
    .selectFrom('products')
    .select(['id', 'name', 'active', 'active_override', 'site_price', 'category_id'])
    .select((eb) => [isChangedBy(eb, change).as('changes'), faultOf(change).as('fault'), price.as('new_site_price')])
    .where('id', '=', sql<number>`any(${ids}::int[])`)
    .orderBy('id')
    .execute()
}

/** The tags of products, by id. */
export function listTagIds(db: Db, productIds: number[]) {
  return db
    .selectFrom('product_tags')
    .select(['product_id', 'tag_id'])
    .where('product_id', '=', sql<number>`any(${productIds}::int[])`)
    .orderBy('tag_id')
    .execute()
}

/** Changes products, each of which differs afterwards. */
export async function applyBulkEdit(trx: Trx, ids: number[], change: BulkChange): Promise<void> {
  const { active, categoryId, addTagIds = [], removeTagIds = [] } = change
  const price = sitePriceOf(change)
  await trx
    .updateTable('products')
    .set((eb) => ({ version: eb('version', '+', 1), updated_at: sql<Date>`now()` }))
    .$if(active !== undefined, (query) => query.set({ active_override: active }))
    .$if(price !== null, (query) => query.set({ site_price: price }))
    .$if(categoryId !== undefined, (query) =>
      query.set({ category_id: categoryId, overrides: categoryOverridden(categoryId) }),
    )
    .where('id', '=', sql<number>`any(${ids}::int[])`)
    .execute()
  if (removeTagIds.length > 0) {
    await trx
      .deleteFrom('product_tags')
      .where('product_id', '=', sql<number>`any(${ids}::int[])`)
      .where('tag_id', '=', sql<number>`any(${removeTagIds}::int[])`)
      .execute()
  }
  if (addTagIds.length > 0) {
    await trx
      .insertInto('product_tags')
      .columns(['product_id', 'tag_id'])
      .expression((eb) =>
        eb
          .selectFrom([
            sql<{ id: number }>`unnest(${ids}::int[])`.as<'product'>(sql`product (id)`),
            sql<{ id: number }>`unnest(${addTagIds}::int[])`.as<'tag'>(sql`tag (id)`),
          ])
          .select(['product.id as product_id', 'tag.id as tag_id']),
      )
      .onConflict((conflict) => conflict.doNothing())
      .execute()
  }
}

/** Rounded half up, as prices are never negative; null leaves the price as it is. */
function sitePriceOf({ sitePrice, sitePricePercent }: BulkChange): RawBuilder<string | null> | null {
  if (sitePricePercent !== undefined) return sql`round(price * ${sitePricePercent}::numeric * 0.01, 2)`
  return sitePrice === undefined ? null : sql`${sitePrice}::numeric(12,2)`
}

function faultOf(change: BulkChange): RawBuilder<'NO_PRICE' | 'TOO_CHEAP' | 'TOO_EXPENSIVE' | null> {
  if (change.sitePricePercent === undefined) return sql`null::text`
  return sql`case when coalesce(price, 0) = 0 then 'NO_PRICE'
    when ${sitePriceOf(change)} = 0 then 'TOO_CHEAP'
    when ${sitePriceOf(change)} >= 10000000000 then 'TOO_EXPENSIVE' end`
}

/** The overrides with `categoryId` added if the product is the supplier's and its category changes. */
function categoryOverridden(categoryId: number | null | undefined): RawBuilder<ProductOverride[]> {
  return sql`case
    when external_id is null or category_id is not distinct from ${categoryId}::int then overrides
    else array(
      select field from unnest(${[...PRODUCT_OVERRIDES]}::text[]) with ordinality as known (field, place)
      where field = 'categoryId' or field = any(overrides) order by place) end`
}

function isChangedBy(eb: ExpressionBuilder<Tables, 'products'>, change: BulkChange) {
  const { active, categoryId, addTagIds = [], removeTagIds = [] } = change
  const price = sitePriceOf(change)
  const tagged = eb.selectFrom('product_tags').select('tag_id').whereRef('product_id', '=', 'products.id')
  return eb.or([
    ...(active === undefined ? [] : [eb('active_override', 'is distinct from', active)]),
    ...(price === null ? [] : [eb('site_price', 'is distinct from', price)]),
    ...(categoryId === undefined ? [] : [eb('category_id', 'is distinct from', categoryId)]),
    ...(addTagIds.length === 0 ? [] : [sql<boolean>`not ${addTagIds}::int[] <@ array(${tagged})`]),
    ...(removeTagIds.length === 0 ? [] : [sql<boolean>`${removeTagIds}::int[] && array(${tagged})`]),
  ])
}
