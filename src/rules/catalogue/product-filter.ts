import { invalid, refuse } from '../../errors.ts'
import type { Fault } from '../faults/sentences.ts'
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

/**
 * Matches products with any of the values; without values, with any. Name and values are keys (see attributeKey), and so match
 * any spelling. `min` and `max` are inclusive, and match numbers only; null: no bound.
 */
export type AttributeFilter = { name: string; values: string[]; min: number | null; max: number | null }

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

/**
 * Reads `attr.<name>=<value>`, `attr.<name>.min` and `attr.<name>.max` of a query (docs/catalogue.md), sorted so that equal
 * filters give equal results. Spellings of one name are merged.
 * @throws AppError 400
 */
export function readAttributeFilters(query: object): AttributeFilter[] {
  const wanted = Object.entries(query).flatMap(([key, value]) => {
    const [, name, bound] = /^attr\.(.*?)(?:\.(min|max))?$/s.exec(key) ?? []
    return name === undefined ? [] : [{ path: key, name: keyOf(name), bound, value }]
  })
  refuse(
    wanted
      .filter(({ bound, value }) => bound && !(typeof value === 'string' && NUMBER.test(value)))
      .map(({ path }) => notNumber(path)),
  )
  const filters = [...Map.groupBy(wanted, ({ name }) => name)].map(([name, same]) => {
    const boundOf = (which: 'min' | 'max') => same.find(({ bound }) => bound === which)?.value
    const values = same.filter(({ bound }) => bound === undefined).flatMap(({ value }) => [value].flat().map(keyOf))
    return { name, values: [...new Set(values)].sort(), min: toNumber(boundOf('min')), max: toNumber(boundOf('max')) }
  })
  if (filters.length <= MAX_NAMES) return filters.sort((a, b) => (a.name < b.name ? -1 : 1))
  throw invalid({ path: '', code: 'TOO_MANY_ATTRIBUTES', params: { max: MAX_NAMES } })
}

const NUMBER = /^-?\d{1,15}([.,]\d{1,15})?$/

function notNumber(path: string): Fault {
  return { path, code: 'NOT_NUMBER' }
}

function toNumber(text: unknown): number | null {
  return text === undefined ? null : Number(`${text}`.replace(',', '.'))
}

function keyOf(text: unknown): string {
  return attributeKey(String(text))
}
