import { type Expression, type ExpressionBuilder, type RawBuilder, type SqlBool, sql } from 'kysely'
import type { SearchWord } from '../../../src/rules/catalogue/search.ts'
import type { Sort } from '../../../src/rules/lists.ts'
import type { Tables } from '../../database.ts'
import type { ProductsTable } from '../../tables/products.ts'
import { literally } from '../like-pattern.ts'

/** What a list of products is narrowed to; null: by nothing. */
export type ProductFilter = {
  categoryIds: number[] | null
  brandId: number | null
  tagId: number | null
  /** Of the final price, both included; a product without one is outside any limit. */
  minPrice: number | null
  maxPrice: number | null
  active: boolean | null
  /** All of them must be found. */
  words: SearchWord[]
}

/** By columns, as PRODUCT_SORT names them; or the best match of the search first. */
export type ProductOrder = Sort<keyof ProductsTable> | 'relevance'

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
  if (filter.brandId !== null) conditions.push(eb('brand_id', '=', filter.brandId))
  if (filter.tagId !== null) {
    conditions.push(sql<SqlBool>`id in (select product_id from product_tags where tag_id = ${filter.tagId})`)
  }
  if (filter.minPrice !== null)
    conditions.push(sql<SqlBool>`final_price >= ${String(filter.minPrice)}::numeric`)
  if (filter.maxPrice !== null)
    conditions.push(sql<SqlBool>`final_price <= ${String(filter.maxPrice)}::numeric`)
  for (const word of filter.words) conditions.push(finds(word))
  return eb.and(conditions)
}

/** As itself, inside of a word or of an article number, or in another grammatical form (contract section 4). */
function finds(word: SearchWord): RawBuilder<SqlBool> {
  const text = literally(word.text)
  if (word.literal) return sql<SqlBool>`search_name like ${`%${text}%`}`
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
