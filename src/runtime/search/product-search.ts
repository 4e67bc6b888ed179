import type { ProductFilter, ProductOrder } from '../../rules/catalogue/product-filter.ts'
import type { SearchToken } from '../../rules/catalogue/search.ts'
import type { AttributeUse } from './attribute-pairs.ts'
import type { FacetCounts } from './facets.ts'

/** `tokens`: what is searched for; none: no search. */
export type SearchFilter = ProductFilter & { tokens: SearchToken[] }

/** `match`: the best matches of the search first. */
export type SearchPage = { order: ProductOrder | 'match'; page: number; size: number }

export type SearchResult = {
  ids: number[]
  total: number
  /** The search that was answered instead of one that finds nothing. */
  corrected: string | null
}

/** Finds products for lists, searches and facets (contract section 4). All methods throw when the database fails. */
export type ProductSearch = {
  page(filter: SearchFilter, page: SearchPage): Promise<SearchResult>
  /** The ids of all products that match; nothing is corrected. */
  ids(filter: SearchFilter): Promise<number[]>
  /** @param isFacet which attributes to count */
  facets(filter: SearchFilter, isFacet: (attribute: AttributeUse) => boolean): Promise<FacetCounts>
  /** The attributes of active products. */
  attributes(): Promise<AttributeUse[]>
  /**
   * @param words what was typed; the last one may be incomplete
   * @param complete whether to complete the last word
   */
  suggest(
    words: string[],
    options: { complete: boolean; limit: number },
  ): Promise<{ words: string[]; ids: number[] }>
  /** The search to answer instead of one that finds nothing, as names write it; null: none is better. */
  correct(tokens: SearchToken[]): Promise<string | null>
  /**
   * Another text after each change in what is available or in how matches are sorted: part of the key of cached answers
   * that depend on it, so that the pages of a list belong together.
   */
  rankVersion(): Promise<string>
  /** Loads products ahead of requests from now on: all at first, later those of large changes. */
  start(): void
}
