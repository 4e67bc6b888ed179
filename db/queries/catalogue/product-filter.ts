import { type Expression, type ExpressionBuilder, type RawBuilder, type SqlBool, sql } from 'kysely'
import type { AttributeFilter } from '../../../src/rules/catalogue/attribute-filter.ts'
import type { SearchWord } from '../../../src/rules/catalogue/search.ts'
import type { Sort } from '../../../src/rules/lists.ts'
import type { Tables } from '../../database.ts'
import type { ProductsTable } from '../../tables/products.ts'
import { literally } from '../like-pattern.ts'
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
  /** All of them must be found. */
  words: SearchWord[]
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
  words: [],
}

/** By columns, as PRODUCT_SORT names them; or the best match of the search first. */
export type ProductOrder = Sort<keyof ProductsTable> | 'relevance'

/**
 * The condition of a filter, for statements that read from `products`.
 * @param joined `product_search` is read too, each row beside its product
 */
export function matchProducts(
  eb: ExpressionBuilder<Tables, 'products'>,
  filter: ProductFilter,
  { joined = false } = {},
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
  const compared = filter.words.filter(({ literal }) => !literal)
  for (const { text, literal } of filter.words) {
    if (literal) conditions.push(sql<SqlBool>`search_name like ${`%${literally(text)}%`}`)
  }
  if (compared.length > 0) {
    const found = sql<SqlBool>`${sql.join(compared.map(finds), sql` and `)}`
    conditions.push(
      joined ? found : sql<SqlBool>`id in (select product_id from product_search where ${found})`,
    )
  }
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

/** As itself, inside of a word or of an article number, or in another grammatical form (contract section 4). */
function finds(word: SearchWord): RawBuilder<SqlBool> {
  const text = literally(word.text)
  // Two letters are inside of everything: they begin a word, which the index knows too.
  const inside = [...word.text].length < 3 ? `% ${text}%` : `%${text}%`
  return sql<SqlBool>`(search_text like ${inside} or ${isForm(word)})`
}

function isForm({ text }: SearchWord): RawBuilder<SqlBool> {
  return sql<SqlBool>`search_stems @@ plainto_tsquery('search', ${text})`
}

/** What to sort by, the most important first; the last one is the id, so that the order is total. */
export function productOrder(filter: ProductFilter, order: ProductOrder): RawBuilder<unknown>[] {
  if (order !== 'relevance') return order.columns.map((column) => byColumn(column, order.descending))
  const inStock = sql`(coalesce(final_price, 0) > 0 and stock > coalesce(held.quantity, 0)) desc`
  const ordered = sql`coalesce(sales.quantity, 0) desc`
  return [rank(filter), inStock, ordered, sql`length(search_text)`, sql`id`]
}

/** As the indexes have it: names in alphabetical order, and a product without a price last either way. */
function byColumn(column: keyof ProductsTable, descending: boolean): RawBuilder<unknown> {
  const by = column === 'search_name' ? sql`search_name collate "ru-x-icu"` : sql.ref(column)
  if (!descending) return by
  return column === 'final_price' ? sql`${by} desc nulls last` : sql`${by} desc`
}

/** 0 all words are words of the name, 1 in another form, 2 some are inside of words. */
function rank({ words }: ProductFilter): RawBuilder<unknown> {
  const compared = words.filter(({ literal }) => !literal)
  if (compared.length === 0) return sql`1`
  const whole = compared.map(({ text }) => sql`search_text like ${`% ${literally(text)} %`}`)
  const form = compared.map((word) => isForm(word))
  return sql`case when ${sql.join(whole, sql` and `)} then 0 when ${sql.join(form, sql` and `)} then 1 else 2 end`
}
