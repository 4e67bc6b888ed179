import type { IndexedProductRow } from '../../../db/queries/catalogue/product-index.ts'
import { mergeAttributes } from '../../rules/catalogue/attributes.ts'
import { EVERY_ACTIVE, type ProductFilter, type ProductOrder } from '../../rules/catalogue/product-filter.ts'
import { type SearchWord, wordsOfTokens } from '../../rules/catalogue/search.ts'
import { createAttributes, type IsFacet } from './attributes.ts'
import {
  byField,
  byId,
  byMatch,
  firstOf,
  groupByLacking,
  newProduct,
  type Product,
  SORT_VALUES,
  select,
} from './products.ts'
import { createProductWords } from './words.ts'

export type ProductIndex = ReturnType<typeof createProductIndex>

/** Counts of products. Prices are in minor units. */
export type FacetCounts = ReturnType<ProductIndex['countFacets']>

/** `match`: the best matches of the search first. `after`: a product of a list by id, of which only those that follow count. */
export type SearchPage = { order: ProductOrder | 'match'; after?: number | null; page: number; size: number }

const BY_ID: ProductOrder = { field: 'id', descending: false }

let lastVersion = 0
/** Differs from the versions of all other indexes, too. */
const nextVersion = () => ++lastVersion

/** Products in memory for lists, searches and facets: a pass over ten thousand takes some tenths of a millisecond. */
export function createProductIndex() {
  const products = new Map<number, Product>()
  /** All products in the orders that lists have asked for; `isStale`: a value that it is sorted by has changed. */
  const sorted = new Map<string, { field: ProductOrder['field']; list: Product[]; isStale: boolean }>()
  const words = createProductWords()
  const attributes = createAttributes()
  let namesVersion = nextVersion()
  let rankVersion = nextVersion()

  function all(order = BY_ID): Product[] {
    const { field, descending } = order
    const key = `${field} ${descending}`
    const known = sorted.get(key)
    if (known?.isStale === false) return known.list
    // Sorting takes little time when only a few have moved.
    const list = (known?.list ?? [...products.values()]).sort(byField(order))
    sorted.set(key, { field, list, isStale: false })
    return list
  }

  function add(id: number): Product {
    const product = newProduct(id)
    products.set(id, product)
    sorted.clear()
    return product
  }

  function put(product: Product, row: IndexedProductRow, stemOf: (word: string) => string): void {
    const { active, available, price, stock, sold } = row
    if (product.available !== available || product.popularity !== sold) rankVersion = nextVersion()
    if (product.active) attributes.countUses(product.attributes, -1)
    const figures = { price, stock, createdAt: row.created_at, popularity: sold }
    const own = attributes.pairsOf(mergeAttributes(row.attributes))
    const belongs = { categoryId: row.category_id, brandId: row.brand_id }
    const before = { ...product }
    Object.assign(product, { active, available, ...figures, ...belongs, attributes: own })
    for (const order of sorted.values()) {
      const read = SORT_VALUES[order.field]
      if (read(before) !== read(product)) order.isStale = true
    }
    if (active) attributes.countUses(own, 1)
    if (words.put(product, row.name, row.external_id, stemOf)) namesVersion = nextVersion()
  }

  /**
   * The products that match the filter's words and ids; sets the levels of those that match its words.
   * @param order of all products, for a filter with neither
   */
  function candidatesOf({ tokens, ids }: ProductFilter, order = BY_ID): Product[] {
    const named = ids === null ? null : ids.flatMap((id) => products.get(id) ?? [])
    if (tokens.length === 0) return named ?? all(order)
    const matched = words.match(wordsOfTokens(tokens), all())
    // An exact article number comes first.
    const exact = words.withArticle(tokens.map(({ raw }) => raw).join(''))
    for (const product of exact) product.level = -1
    const found = exact.length === 0 ? matched : [...new Set([...exact, ...matched])]
    if (named === null) return found
    const isFound = new Set(found)
    return named.filter((product) => isFound.has(product))
  }

  const selectBy = (candidates: readonly Product[], filter: ProductFilter) =>
    select(candidates, filter, attributes.valuesOf(filter.attributes))

  const matching = (filter: ProductFilter) => selectBy(candidatesOf(filter), filter)

  return {
    words,
    /** Changes when a product is added or renamed. */
    get namesVersion() {
      return namesVersion
    },
    /** Changes when the availability or the sales of a product do, by which matches are sorted. */
    get rankVersion() {
      return rankVersion
    },
    /** @param stemOf stem of each word of the products' names */
    put(rows: IndexedProductRow[], stemOf: (word: string) => string): void {
      for (const row of rows) put(products.get(row.id) ?? add(row.id), row, stemOf)
    },
    remove(ids: Iterable<number>): void {
      for (const id of ids) {
        const product = products.get(id)
        if (product === undefined) continue
        if (product.active) attributes.countUses(product.attributes, -1)
        words.remove(product)
        products.delete(id)
        sorted.clear()
      }
    },
    /** @param ids of all products in the order of their names */
    rankNames(ids: number[]): void {
      for (const [rank, id] of ids.entries()) {
        const product = products.get(id)
        if (product !== undefined) product.nameRank = rank
      }
      for (const order of sorted.values()) if (order.field === 'name') order.isStale = true
    },
    /** Some names of active products that contain the word, the same on every instance. */
    namesWith(word: string, limit: number): string[] {
      const named = words.withWord(word).filter(({ active }) => active)
      return named
        .sort(byId)
        .slice(0, limit)
        .map(({ name }) => name)
    },
    /** The active products that match the word. */
    productsWith: (word: SearchWord) => new Set(matching({ ...EVERY_ACTIVE, tokens: [{ raw: '', words: [word] }] })),
    /** The number of products that match. */
    count: (filter: ProductFilter): number => matching(filter).length,
    /** The number of products that match, and the ids of one page of them. */
    find(filter: ProductFilter, { order, after = null, page, size }: SearchPage): { total: number; ids: number[] } {
      const { tokens, ids, categoryIds, brandIds } = filter
      // Sorting what is in a category or of a brand takes less time than reading all products in another order.
      const isNarrow = [ids, categoryIds, brandIds].some((part) => part !== null) || tokens.length > 0
      const isSorted = order !== 'match' && !isNarrow
      const all = selectBy(candidatesOf(filter, isSorted ? order : BY_ID), filter)
      const isDescending = order !== 'match' && order.descending
      const found = after === null ? all : all.filter(({ id }) => (isDescending ? id < after : id > after))
      const compare = order === 'match' ? byMatch : byField(order)
      if (tokens.length === 0 && order === 'match') for (const product of found) product.level = 0
      const shown = isSorted ? found : firstOf(found, compare, (page + 1) * size)
      return { total: found.length, ids: shown.slice(page * size, (page + 1) * size).map(({ id }) => id) }
    },
    /**
     * Counts products for facets, each of which ignores its own part of the filter.
     * @param isFacet which attributes to count
     */
    countFacets(filter: ProductFilter, isFacet: IsFacet) {
      const { brandIds, categoryIds, minPrice, maxPrice } = filter
      const candidates = candidatesOf(filter)
      const found = selectBy(candidates, filter)
      const without = (part: Partial<ProductFilter>) => selectBy(candidates, { ...filter, ...part })
      const isPriced = minPrice !== null || maxPrice !== null
      const names = filter.attributes.map(({ name }) => name)
      const counter = attributes.createCounter()
      counter.count(found, (name) => !names.includes(name))
      if (names.length > 0) {
        const lacking = groupByLacking(without({ attributes: [] }), attributes.valuesOf(filter.attributes))
        for (const [index, name] of names.entries())
          counter.count([...found, ...(lacking[index] ?? [])], (other) => other === name)
      }
      return {
        brands: countBy(({ brandId }) => brandId, brandIds === null ? found : without({ brandIds: null })),
        categories: countBy(
          ({ categoryId }) => categoryId,
          categoryIds === null ? found : without({ categoryIds: null }),
        ),
        price: priceRange(isPriced ? without({ minPrice: null, maxPrice: null }) : found),
        attributes: counter.facets(isFacet),
      }
    },
    /**
     * What to suggest for beginnings of words, from active products whose names have words beginning with each of them:
     * `words` complete the last one, of the forms of a word the most frequent one, and of these the most frequent first;
     * `ids` are the best matches.
     */
    suggest(beginnings: readonly SearchWord[], limit: number): { words: string[]; ids: number[] } {
      const found = selectBy(words.matchBeginnings(beginnings), EVERY_ACTIVE)
      const isFound = new Set(found)
      const counted = words
        .beginningWith(beginnings.at(-1)?.text ?? '')
        .map(({ text, stem, products: having }) => {
          const count = having.filter((product) => isFound.has(product)).length
          return { text, stem: stem || text, count }
        })
        .filter(({ count }) => count > 0)
        .sort((a, b) => b.count - a.count || (a.text < b.text ? -1 : 1))
      const byStem = Map.groupBy(counted, ({ stem }) => stem)
      return {
        words: [...byStem.values()].slice(0, limit).flatMap(([most]) => most?.text ?? []),
        ids: firstOf(found, byMatch, limit).map(({ id }) => id),
      }
    },
  }
}

/** The number of products by the id of their category or brand. */
function countBy(idOf: (product: Product) => number | null, products: Product[]): Map<number, number> {
  const counts: number[] = []
  for (const product of products) {
    const id = idOf(product)
    if (id !== null) counts[id] = (counts[id] ?? 0) + 1
  }
  // Without the holes.
  return new Map(Object.keys(counts).map((id) => [Number(id), counts[Number(id)] ?? 0]))
}

function priceRange(products: Product[]) {
  let [min, max] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY]
  for (const { price } of products) {
    if (price === null) continue
    if (price < min) min = price
    if (price > max) max = price
  }
  return min <= max ? { min, max } : null
}
