import { type Expression, type ExpressionBuilder, type RawBuilder, type SqlBool, sql } from 'kysely'
import type { AttributeFilter } from '../../../src/rules/catalogue/attribute-filter.ts'
import type { Sort } from '../../../src/rules/lists.ts'
import type { Tables } from '../../database.ts'
import type { ProductsTable } from '../../tables/products.ts'

/** Conditions of a product list, all of which apply; null: none. */
export type ProductFilter = {
  categoryIds: number[] | null
  brandIds: number[] | null
  tagId: number | null
  /** Final price, inclusive; products without a price (null or 0) match no limit. */
  minPrice: number | null
  maxPrice: number | null
  active: boolean | null
  /** Only available products. */
  inStock: boolean
  attributes: AttributeFilter[]
  ids: number[] | null
}

/** The products that the public sees. */
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

/** Columns of PRODUCT_SORT. */
export type ProductOrder = Sort<SortColumn>
type SortColumn = keyof ProductsTable | 'sold'

/** For statements that read from `products`. */
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
  const limits = [filter.minPrice, filter.maxPrice].some((limit) => limit !== null)
  if (limits) conditions.push(sql<SqlBool>`final_price > 0`)
  if (filter.minPrice !== null)
    conditions.push(sql<SqlBool>`final_price >= ${String(filter.minPrice)}::numeric`)
  if (filter.maxPrice !== null)
    conditions.push(sql<SqlBool>`final_price <= ${String(filter.maxPrice)}::numeric`)
  if (filter.inStock) conditions.push(isInStock)
  for (const attribute of filter.attributes) conditions.push(hasAttribute(attribute))
  if (filter.ids !== null) conditions.push(sql<SqlBool>`id = any(${filter.ids}::int[])`)
  return eb.and(conditions)
}

/** Same rule as isAvailable, with reservations summed once rather than for each product. */
const isInStock = sql<SqlBool>`(active and final_price > 0 and stock > 0 and id not in (
  select p.id from products p
  join (select product_id, sum(quantity) as quantity from order_items where holding group by product_id) reserved
    on reserved.product_id = p.id
  where reserved.quantity >= p.stock))`

/**
 * Whether the card shows the attribute `a`; same rule as mergeAttributes. A MANUAL attribute hides all others of its
 * name, one of the supplier's API those of its feed.
 */
const isShown = sql<SqlBool>`(a.name is not null and (a.source = 'MANUAL' or (
  not exists (
    select from product_attributes m
    where m.product_id = a.product_id and m.source = 'MANUAL' and m.name = a.name)
  and (a.source <> 'FEED' or not exists (
    select from product_attributes e
    where e.product_id = a.product_id and e.source = 'EXTERNAL' and e.name = a.name)))))`

function hasAttribute({ name, values }: AttributeFilter): RawBuilder<SqlBool> {
  const keys = sql`array(select attribute_key(value) from unnest(${values}::text[]) value)`
  return sql<SqlBool>`id in (
    select product_id from product_attributes a
    where name = ${name} and attribute_key(value) = any(${keys})
      and ${isShown})`
}

/** Sort expressions, the most important first; the id is last, which makes the order total. */
export function productOrder(order: ProductOrder): RawBuilder<unknown>[] {
  return order.columns.map((column) => byColumn(column, order.descending))
}

const EXPRESSIONS: { [column in SortColumn]?: RawBuilder<unknown> } = {
  search_name: sql`search_name collate "ru-x-icu"`,
  sold: sql`coalesce((select s.quantity from product_sales s where s.product_id = products.id), 0)`,
}

/** Matches the indexes; products without a price (null or 0) come last in both directions. */
function byColumn(column: SortColumn, descending: boolean): RawBuilder<unknown> {
  if (column === 'final_price') {
    return sql`nullif(final_price, 0) ${descending ? sql`desc` : sql`asc`} nulls last`
  }
  const by = EXPRESSIONS[column] ?? sql.ref(column)
  return descending ? sql`${by} desc` : by
}
