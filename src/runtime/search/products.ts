import type { ProductFilter, ProductOrder } from '../../rules/catalogue/product-filter.ts'
import { minorAround } from '../../rules/money.ts'
import type { AttributePair, AttributeValue } from './attributes.ts'

/** A product as the index keeps it. */
export type Product = {
  id: number
  active: boolean
  available: boolean
  categoryId: number | null
  brandId: number | null
  /** In minor units, above 0; null: none. */
  price: number | null
  stock: number
  createdAt: number
  /** Units sold lately. */
  popularity: number
  /** Grouped by name. */
  attributes: AttributePair[]
  name: string
  /** The name as signs are compared with it; null: no search with signs has needed it yet. */
  plainName: string | null
  /** Its place in the database's order of names; null: not read yet. */
  nameRank: number | null
  words: Word[]
  /** Beside the name, since comparing thousands of products reads it from each. */
  nameLength: number
  /** The supplier's id; null: none. */
  article: Article | null
  /** Of the last searched word that found it (words.ts). */
  stamp: number
  /** How well it matches the last search that found it: 0 best. */
  level: number
}

/** A product whose properties are still to be put. */
export function newProduct(id: number): Product {
  return {
    id,
    active: false,
    available: false,
    categoryId: null,
    brandId: null,
    price: null,
    stock: 0,
    createdAt: 0,
    popularity: 0,
    attributes: [],
    name: '',
    plainName: null,
    nameRank: null,
    words: [],
    nameLength: 0,
    article: null,
    stamp: 0,
    level: 0,
  }
}

/** A word of products' names. */
export type Word = {
  text: string
  /** Shared by the grammatical forms of a word; '' for none. */
  stem: string
  sound: string
  products: Product[]
}

/** An article number without its punctuation. */
export type Article = { text: string; products: Product[] }

/**
 * The products that match the filter, except its words and ids. A plain loop, which V8 runs twice as fast as a callback.
 * @param wanted the values that satisfy each attribute of the filter
 */
export function select(products: readonly Product[], filter: ProductFilter, wanted: Set<AttributeValue>[]): Product[] {
  const { active, inStock, minPrice, maxPrice } = filter
  const isPriced = minPrice !== null || maxPrice !== null
  const low = minorAround(minPrice ?? 0).ceil
  const high = maxPrice === null ? Number.POSITIVE_INFINITY : minorAround(maxPrice).floor
  const categories = filter.categoryIds && new Set<number | null>(filter.categoryIds)
  const brands = filter.brandIds && new Set<number | null>(filter.brandIds)
  const found: Product[] = []
  for (const product of products) {
    const { price } = product
    if (active !== null && product.active !== active) continue
    if (inStock && !product.available) continue
    if (isPriced && (price === null || price < low || price > high)) continue
    if (categories !== null && !categories.has(product.categoryId)) continue
    if (brands !== null && !brands.has(product.brandId)) continue
    if (wanted.length > 0 && !wanted.every((values) => hasAny(product, values))) continue
    found.push(product)
  }
  return found
}

function hasAny({ attributes }: Product, values: Set<AttributeValue>): boolean {
  return attributes.some(({ value }) => values.has(value))
}

/** For each of the wanted attributes the products that have all the others, but not this one. */
export function groupByLacking(products: readonly Product[], wanted: Set<AttributeValue>[]): Product[][] {
  const groups = wanted.map((): Product[] => [])
  for (const product of products) {
    const lacking = wanted.findIndex((values) => !hasAny(product, values))
    if (wanted.every((values, index) => index <= lacking || hasAny(product, values))) groups[lacking]?.push(product)
  }
  return groups
}

type Compare = (a: Product, b: Product) => number

export const byId: Compare = (a, b) => a.id - b.id

/** What lists are sorted by. */
export const SORT_VALUES: { [field in ProductOrder['field']]: (product: Product) => number | null } = {
  id: ({ id }) => id,
  name: ({ nameRank }) => nameRank,
  price: ({ price }) => price,
  stock: ({ stock }) => stock,
  createdAt: ({ createdAt }) => createdAt,
  popularity: ({ popularity }) => popularity,
}

/** Products without a price come last in both directions (docs/search.md). */
export function byField({ field, descending }: ProductOrder): Compare {
  const read = SORT_VALUES[field]
  const sign = descending ? -1 : 1
  return (a, b) => {
    const [x, y] = [read(a), read(b)]
    if (x === y) return sign * byId(a, b)
    if (x === null || y === null) return x === null ? 1 : -1
    return sign * (x - y)
  }
}

/** The best matches of the last search first (docs/search.md). */
export const byMatch: Compare = (a, b) =>
  a.level - b.level ||
  Number(b.available) - Number(a.available) ||
  b.popularity - a.popularity ||
  a.nameLength - b.nameLength ||
  byId(a, b)

/** Up to this many products, picking them one by one is quicker than sorting all. */
const MAX_PICKED = 200

/** The first products of a sort order. */
export function firstOf(products: Product[], compare: Compare, count: number): Product[] {
  if (count > MAX_PICKED) return products.toSorted(compare).slice(0, count)
  const first: Product[] = []
  for (const product of products) {
    let at = first.length
    while (at > 0 && compare(product, first[at - 1] ?? product) < 0) at--
    if (at === count) continue
    first.splice(at, 0, product)
    if (first.length > count) first.pop()
  }
  return first
}
