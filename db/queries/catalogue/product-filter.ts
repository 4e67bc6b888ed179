import { type Expression, type ExpressionBuilder, type RawBuilder, type SqlBool, sql } from 'kysely'
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
  /** All words in a row, and each on its own; lower case, ё as е. A misspelt word matches what looks like it. */
  phrase: string
  words: { text: string; misspelt: boolean }[]
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
  for (const { text, misspelt } of filter.words) {
    conditions.push(
      misspelt
        ? sql<SqlBool>`${text} <% search_name`
        : sql<SqlBool>`search_name like ${`%${literally(text)}%`}`,
    )
  }
  // Every slug is that. But comparing all names is dearer than the planner thinks, and since their index has no slugs,
  // it goes by the trigrams wherever a word has one.
  if (filter.words.some(hasTrigram)) conditions.push(sql<SqlBool>`slug <> ''`)
  return eb.and(conditions)
}

/** What to sort by, the most important first; the last one is the id, so that the order is total. */
export function productOrder(filter: ProductFilter, order: ProductOrder): RawBuilder<unknown>[] {
  if (order !== 'relevance') return order.columns.map((column) => byColumn(column, order.descending))
  const misspelt = filter.words.filter((word) => word.misspelt)
  return [misspelt.length > 0 ? likeness(misspelt) : rank(filter), sql`octet_length(search_name)`, sql`id`]
}

/** As the indexes have it: names in alphabetical order, and a product without a price last either way. */
function byColumn(column: keyof ProductsTable, descending: boolean): RawBuilder<unknown> {
  const by = column === 'search_name' ? sql`search_name collate "ru-x-icu"` : sql.ref(column)
  if (!descending) return by
  return column === 'final_price' ? sql`${by} desc nulls last` : sql`${by} desc`
}

function likeness(words: ProductFilter['words']): RawBuilder<unknown> {
  return sql`(${sql.join(
    words.map(({ text }) => sql`word_similarity(${text}, search_name)`),
    sql` + `,
  )}) desc`
}

/** 0 the very name, 1 its beginning, 2 every word begins a word of the name, 3 anything else. */
function rank({ phrase, words }: ProductFilter): RawBuilder<unknown> {
  const beginnings = words.map(({ text }) => {
    const word = literally(text)
    return sql`(search_name like ${`${word}%`} or search_name like ${`% ${word}%`})`
  })
  return sql`case when search_name = ${phrase} then 0 when search_name like ${`${literally(phrase)}%`} then 1
    when ${sql.join(beginnings, sql` and `)} then 2 else 3 end`
}

function hasTrigram({ text, misspelt }: ProductFilter['words'][number]): boolean {
  return misspelt || /[\p{L}\p{N}]{3}/u.test(text)
}
