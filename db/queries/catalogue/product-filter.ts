import { type Expression, type ExpressionBuilder, type RawBuilder, type SqlBool, sql } from 'kysely'
import type { AttributeFilter } from '../../../src/rules/catalogue/attribute-filter.ts'
import type { Sort } from '../../../src/rules/lists.ts'
import type { Tables } from '../../database.ts'
import type { ProductsTable } from '../../tables/products.ts'
import { isShown } from './shown-attributes.ts'

/** What a list of products is narrowed to; null: by nothing. */
export type ProductFilter = {
  categoryIds: number[] | null
  brandIds: number[] | null
  tagId: number | null
  /** Of the final price, both included; a product without one is outside any limit. */
  minPrice: number | null
  maxPrice: number | null
  active: boolean | null
  /** Only what is available. */
  inStock: boolean
  attributes: AttributeFilter[]
  /** What a search found, in no order. */
  ids: number[] | null
}

/** What the public sees. */
export const EVERY_ACTIVE: ProductFilter = {
  categoryIds: null,
  brandIds: null,
  tagId: null,
  minPrice: null,
  maxPrice: null,
  active: true,
  inStock: false,
  attributes: [],
  ids: null,
}

/** By columns, as PRODUCT_SORT names them. */
export type ProductOrder = Sort<keyof ProductsTable>

/** The condition of a filter, for statements that read from `products`. */
export function matchProducts(
  eb: ExpressionBuilder<Tables, 'products'>,
  filter: ProductFilter,
): Expression<SqlBool> {
  const conditions: Expression<SqlBool>[] = []
  if (filter.active !== null) conditions.push(eb('active', '=', filter.active))
  if (filter.categoryIds !== null) {
    conditions.push(sql<SqlBool>`category_id = any(${filter.categoryIds}::int[])`)
  }
  if (filter.brandIds !== null) {
    const [only, ...others] = filter.brandIds
    conditions.push(
      only !== undefined && others.length === 0
        ? eb('brand_id', '=', only)
        : sql<SqlBool>`brand_id = any(${filter.brandIds}::int[])`,
    )
  }
  if (filter.tagId !== null) {
    conditions.push(sql<SqlBool>`id in (select product_id from product_tags where tag_id = ${filter.tagId})`)
  }
  if (filter.minPrice !== null)
    conditions.push(sql<SqlBool>`final_price >= ${String(filter.minPrice)}::numeric`)
  if (filter.maxPrice !== null)
    conditions.push(sql<SqlBool>`final_price <= ${String(filter.maxPrice)}::numeric`)
  if (filter.inStock) conditions.push(isInStock)
  for (const one of filter.attributes) conditions.push(hasAttribute(one))
  if (filter.ids !== null) conditions.push(sql<SqlBool>`id = any(${filter.ids}::int[])`)
  return eb.and(conditions)
}

/** As the rule of what is available has it; what is held is summed up once, and not for each product. */
const isInStock = sql<SqlBool>`(final_price > 0 and stock > 0 and id not in (
  select p.id from products p
  join (select product_id, sum(quantity) as quantity from order_items where holding group by product_id) held
    on held.product_id = p.id
  where held.quantity >= p.stock))`

/** As the card shows it. */
function hasAttribute({ name, values }: AttributeFilter): RawBuilder<SqlBool> {
  return sql<SqlBool>`id in (
    select product_id from product_attributes a
    where attribute_hash(name, value) in (select attribute_hash(${name}, wanted) from unnest(${values}::text[]) wanted)
      and name = ${name} and value = any(${values}::text[])
      and ${isShown})`
}

/** What to sort by, the most important first; the last one is the id, so that the order is total. */
export function productOrder(order: ProductOrder): RawBuilder<unknown>[] {
  return order.columns.map((column) => byColumn(column, order.descending))
}

/** As the indexes have it: names in alphabetical order, and a product without a price last either way. */
function byColumn(column: keyof ProductsTable, descending: boolean): RawBuilder<unknown> {
  const by = column === 'search_name' ? sql`search_name collate "ru-x-icu"` : sql.ref(column)
  if (!descending) return by
  return column === 'final_price' ? sql`${by} desc nulls last` : sql`${by} desc`
}
