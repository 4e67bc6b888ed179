import { invalid } from '../../errors.ts'
import type { Sort } from '../lists.ts'
import { attributeKey } from './attributes.ts'
import type { SearchToken } from './search.ts'

/** Conditions of a product list, all of which apply; null: none. */
export type ProductFilter = {
  categoryIds: number[] | null
  brandIds: number[] | null
  /** Final price, inclusive; products without a price (null or 0) match no limit. */
  minPrice: number | null
  maxPrice: number | null
  active: boolean | null
  /** Only available products. */
  inStock: boolean
  attributes: AttributeFilter[]
  ids: number[] | null
  /** The words of a search, all of which must match. */
  tokens: SearchToken[]
}

/** The products that the public sees. */
export const EVERY_ACTIVE: ProductFilter = {
  categoryIds: null,
  brandIds: null,
  minPrice: null,
  maxPrice: null,
  active: true,
  inStock: false,
  attributes: [],
  ids: null,
  tokens: [],
}

/** Matches products with any of the values. Name and values are keys (see attributeKey), and so match any spelling. */
export type AttributeFilter = { name: string; values: string[] }

/** What product lists are sorted by; the index breaks ties by id. */
export const PRODUCT_SORT = ['name', 'price', 'stock', 'createdAt', 'id', 'popularity'] as const

export type ProductOrder = Sort<(typeof PRODUCT_SORT)[number]>

/** Enough for a page of favourites. */
export const MAX_LISTED_IDS = 100

/** What an incomplete product may lack (docs/catalogue.md). */
export const PRODUCT_GAPS = ['image', 'price', 'category', 'description'] as const
export type ProductGap = (typeof PRODUCT_GAPS)[number]

/** Of a value in `attr.<name>=<value>`; facets don't offer longer ones. */
export const MAX_ATTRIBUTE_VALUE_LENGTH = 500
const MAX_NAMES = 10
const PREFIX = 'attr.'

/**
 * Reads `attr.<name>=<value>` of a query (docs/catalogue.md), sorted so that equal filters give equal results. Spellings
 * of one name are merged.
 * @throws AppError 400
 */
export function readAttributeFilters(query: object): AttributeFilter[] {
  const wanted = Object.entries(query).filter(([key]) => key.startsWith(PREFIX))
  const byName = Map.groupBy(wanted, ([key]) => keyOf(key.slice(PREFIX.length)))
  const filters = [...byName].map(([name, same]) => ({
    name,
    values: [...new Set(same.flatMap(([, value]) => [value].flat().map(keyOf)))].sort(),
  }))
  if (filters.length <= MAX_NAMES) return filters.sort((a, b) => (a.name < b.name ? -1 : 1))
  throw invalid({ path: '', code: 'TOO_MANY_ATTRIBUTES', params: { max: MAX_NAMES } })
}

function keyOf(text: unknown): string {
  return attributeKey(String(text))
}
