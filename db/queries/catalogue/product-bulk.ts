import { type RawBuilder, sql } from 'kysely'
import type { BulkChange } from '../../../src/rules/catalogue/bulk-edit.ts'
import { PRODUCT_OVERRIDES } from '../../../src/rules/catalogue/product-fields.ts'
import type { Db, Trx } from '../../database.ts'

/** The effect of a bulk edit on a product. */
export type BulkRow = {
  id: number
  changes: boolean
  fault: 'NO_PRICE' | 'TOO_EXPENSIVE' | null
  active_override: boolean | null
  site_price: string | null
  category_id: number | null
  /** Decimal text. */
  new_site_price: string | null
}

/** The effect of the change on each product, by id. */
export async function previewBulkEdit(db: Db, ids: number[], change: BulkChange): Promise<BulkRow[]> {
  const price = sitePriceOf(change)
  const { rows } = await sql<BulkRow>`
    select p.id, (${isChangedBy(change)}) as changes, ${faultOf(change)} as fault, p.active_override,
      p.site_price, p.category_id, ${price ?? sql`null`} as new_site_price
    from products p where p.id = any(${ids}::int[])
    order by p.id`.execute(db)
  return rows
}

/** Changes products, each of which differs afterwards. */
export async function applyBulkEdit(trx: Trx, ids: number[], change: BulkChange): Promise<void> {
  const { active, categoryId, addTagIds = [], removeTagIds = [] } = change
  const price = sitePriceOf(change)
  const columns = [sql`version = version + 1`, sql`updated_at = now()`]
  if (active !== undefined) columns.push(sql`active_override = ${active}::boolean`)
  if (price !== null) columns.push(sql`site_price = ${price}`)
  if (categoryId !== undefined) columns.push(sql`category_id = ${categoryId}::int`, overrideCategory(categoryId))
  await sql`update products p set ${sql.join(columns)} where p.id = any(${ids}::int[])`.execute(trx)
  if (removeTagIds.length > 0) {
    await sql`
      delete from product_tags
      where product_id = any(${ids}::int[]) and tag_id = any(${removeTagIds}::int[])`.execute(trx)
  }
  if (addTagIds.length > 0) {
    await sql`
      insert into product_tags (product_id, tag_id)
      select product_id, tag_id from unnest(${ids}::int[]) product_id, unnest(${addTagIds}::int[]) tag_id
      on conflict do nothing`.execute(trx)
  }
}

/** Rounded half up, as prices are never negative; null leaves the price as it is. */
function sitePriceOf({ sitePrice, sitePricePercent }: BulkChange): RawBuilder<string | null> | null {
  if (sitePricePercent !== undefined) return sql`round(p.price * ${sitePricePercent}::numeric * 0.01, 2)`
  return sitePrice === undefined ? null : sql`${sitePrice}::numeric(12,2)`
}

function faultOf(change: BulkChange): RawBuilder<BulkRow['fault']> {
  if (change.sitePricePercent === undefined) return sql`null::text`
  return sql`case when coalesce(p.price, 0) = 0 then 'NO_PRICE'
    when ${sitePriceOf(change)} >= 10000000000 then 'TOO_EXPENSIVE' end`
}

/** Adds `categoryId` to the overrides of supplier's products whose category changes. */
function overrideCategory(categoryId: number | null): RawBuilder<unknown> {
  return sql`overrides = case
    when p.external_id is null or p.category_id is not distinct from ${categoryId}::int then p.overrides
    else array(
      select field from unnest(${[...PRODUCT_OVERRIDES]}::text[]) with ordinality as known (field, place)
      where field = 'categoryId' or field = any(p.overrides) order by place) end`
}

function isChangedBy(change: BulkChange): RawBuilder<boolean> {
  const { active, categoryId, addTagIds = [], removeTagIds = [] } = change
  const price = sitePriceOf(change)
  const tagged = sql`select tag_id from product_tags where product_id = p.id`
  const conditions: RawBuilder<unknown>[] = []
  if (active !== undefined) conditions.push(sql`p.active_override is distinct from ${active}::boolean`)
  if (price !== null) conditions.push(sql`p.site_price is distinct from ${price}`)
  if (categoryId !== undefined) conditions.push(sql`p.category_id is distinct from ${categoryId}::int`)
  if (addTagIds.length > 0) conditions.push(sql`not ${addTagIds}::int[] <@ array(${tagged})`)
  if (removeTagIds.length > 0) conditions.push(sql`${removeTagIds}::int[] && array(${tagged})`)
  return sql<boolean>`${sql.join(conditions, sql` or `)}`
}
