import type { IndexedProductRow } from '../../../db/queries/catalogue/product-index.ts'
import { mergeAttributes } from '../../rules/catalogue/attributes.ts'
import { EVERY_ACTIVE, type ProductFilter } from '../../rules/catalogue/product-filter.ts'
import { type SearchWord, wordsOfTokens } from '../../rules/catalogue/search.ts'
import type { AttributeUses, IsFacet } from './attribute-pairs.ts'
import {
  ACTIVE,
  AVAILABLE,
  countFacets,
  createColumnStore,
  type FacetCounts,
  NO_ID,
  NO_PRICE,
  PRESENT,
  select,
} from './column-store.ts'
import { createSortOrders, type IndexPage } from './sort-orders.ts'
import { createProductWords } from './words.ts'

export type ProductIndex = ReturnType<typeof createProductIndex>

let lastVersion = 0
/** Differs from the versions of all other indexes, too. */
const nextVersion = () => ++lastVersion

/** Products in memory for lists, searches and facets: a pass over fifty thousand takes a fraction of a millisecond. */
export function createProductIndex() {
  const rows = new Map<number, number>()
  const words = createProductWords()
  const store = createColumnStore()
  const orders = createSortOrders(store, words)
  let namesVersion = nextVersion()
  let rankVersion = nextVersion()

  /** Counted when facets need it, after a change of what active products have. */
  let uses: AttributeUses | undefined

  function setAttributes(row: number, flags: number, pairs: number[]): void {
    const before = isActive(row) ? store.attributes[row] : []
    store.flags[row] = flags
    store.attributes[row] = pairs
    if (String(before) !== String(isActive(row) ? pairs : [])) uses = undefined
  }

  /** The rows that match the filter's words and ids, empty if none does, and how well; null if the filter has neither. */
  function include({ tokens, ids }: ProductFilter) {
    const levels = new Uint8Array(store.id.length)
    if (tokens.length === 0 && ids === null) return { included: null, levels }
    const included = new Uint8Array(store.id.length)
    if (tokens.length > 0) {
      const exact = words.rowsOfArticle(tokens.map(({ raw }) => raw).join(''))
      const isAny = words.match(wordsOfTokens(tokens), included, levels)
      if (!isAny && exact.length === 0) return { included: new Uint8Array(), levels }
      putFirst(exact, included, levels)
    }
    if (ids !== null) {
      const named = ids.flatMap((id) => rows.get(id) ?? [])
      const both = tokens.length === 0 ? named : named.filter((row) => included[row] === 1)
      included.fill(0)
      for (const row of both) included[row] = 1
    }
    return { included, levels }
  }

  /** Includes the products that have the search as their supplier's id, ahead of all others. */
  function putFirst(exact: readonly number[], included: Uint8Array, levels: Uint8Array): void {
    if (exact.length === 0) return
    for (let row = 0; row < levels.length; row++) levels[row] = (levels[row] ?? 0) + 1
    for (const row of exact) {
      included[row] = 1
      levels[row] = 0
    }
  }

  const isActive = (row: number) => ((store.flags[row] ?? 0) & ACTIVE) !== 0
  const idsOf = (found: ArrayLike<number>) => Array.from(found, (row) => store.id[row] ?? NO_ID)

  return {
    words,
    /** Changes when a product is added or renamed, which makes an order of names read before stale. */
    get namesVersion() {
      return namesVersion
    },
    /** Changes when the availability or the sales of a product do, by which matches are sorted. */
    get rankVersion() {
      return rankVersion
    },
    /** @param stemOf stem of each word of the products' names */
    put(products: IndexedProductRow[], stemOf: (word: string) => string): void {
      for (const product of products) {
        const { id, active, available, category_id, brand_id, stock, created_at, sold } = product
        const row = rows.get(id) ?? store.id.length
        rows.set(id, row)
        const flags = PRESENT | (active ? ACTIVE : 0) | (available ? AVAILABLE : 0)
        if (store.flags[row] !== flags || store.popularity[row] !== sold) rankVersion = nextVersion()
        const price = product.price ?? NO_PRICE
        orders.write(row, { id, price, stock, createdAt: created_at, popularity: sold })
        store.categories[row] = category_id ?? NO_ID
        store.brands[row] = brand_id ?? NO_ID
        store.largestId = Math.max(store.largestId, category_id ?? NO_ID, brand_id ?? NO_ID)
        setAttributes(row, flags, store.pairs.numbersOf(mergeAttributes(product.attributes)))
        if (words.put(row, product.name, product.external_id, stemOf)) namesVersion = nextVersion()
      }
    },
    remove(ids: Iterable<number>): void {
      for (const id of ids) {
        const row = rows.get(id)
        if (row === undefined) continue
        words.remove(row)
        rows.delete(id)
        setAttributes(row, 0, [])
      }
    },
    /** Some names of active products that contain the word, the same on every instance. */
    namesWith: (word: string, limit: number): string[] =>
      words.rowsWith(word).filter(isActive).sort(orders.byId).slice(0, limit).map(words.nameOf),
    /** The rows of these products, to sort a page by. */
    rowsOf: (ids: number[]) => Uint32Array.from(ids.flatMap((id) => rows.get(id) ?? [])),
    /** The rows of active products that match the word. */
    rowsWith(word: SearchWord): Set<number> {
      const filter = { ...EVERY_ACTIVE, tokens: [{ raw: '', words: [word] }] }
      return new Set(select(store, filter, include(filter).included))
    },
    /** The number of products that match. */
    count: (filter: ProductFilter): number => select(store, filter, include(filter).included).length,
    /** The number of products that match, and the ids of one page of them. */
    find(filter: ProductFilter, page: IndexPage): { total: number; ids: number[] } {
      const { included, levels } = include(filter)
      const found = select(store, filter, included)
      return { total: found.length, ids: idsOf(orders.page(found, page, levels)) }
    },
    /** @param isFacet which attributes to count */
    countFacets(filter: ProductFilter, isFacet: IsFacet): FacetCounts {
      uses ??= store.pairs.usesIn(store.attributes.filter((_, row) => isActive(row)))
      return countFacets(store, filter, include(filter).included, uses, isFacet)
    },
    /**
     * Words that begin with `beginning`, in names of active products that also have words beginning with each of the
     * others: of the forms of a word the most frequent one, and of these the most frequent first.
     */
    completeWord(beginning: string, others: readonly string[], limit: number): string[] {
      const included = new Uint8Array(store.id.length)
      words.matchBeginnings(others, included)
      const isCounted = (row: number) => included[row] === 1 && isActive(row)
      const counted = words
        .beginningWith(beginning)
        .map(({ text, stem, rows }) => ({ text, stem: stem || text, count: rows.filter(isCounted).length }))
        .filter(({ count }) => count > 0)
        .sort((a, b) => b.count - a.count || (a.text < b.text ? -1 : 1))
      const byStem = Map.groupBy(counted, ({ stem }) => stem)
      return [...byStem.values()].slice(0, limit).flatMap(([most]) => most?.text ?? [])
    },
    /** Ids of active products whose names have words beginning with each of these; the best matches first. */
    suggest(beginnings: readonly string[], limit: number): number[] {
      const included = new Uint8Array(store.id.length)
      words.matchBeginnings(beginnings, included)
      const found = select(store, EVERY_ACTIVE, included)
      const page = { order: 'match', descending: false, offset: 0, size: limit } as const
      return idsOf(orders.page(found, page, new Uint8Array(store.id.length)))
    },
  }
}
