import { EVERY_ACTIVE, type ProductFilter } from '../../rules/catalogue/product-filter.ts'
import { minorAround } from '../../rules/money.ts'
import { type AttributePairs, createAttributePairs, type WantedAttribute } from './attribute-pairs.ts'
import type { StemmedWord } from './words.ts'

/** Products by columns: the entries of a row belong to one product. Rows are appended and never move. */
export type ColumnStore = {
  length: number
  ids: Int32Array
  /** NO_ID: none. */
  categories: Int32Array
  brands: Int32Array
  /** In minor units; NO_PRICE: none. */
  prices: Float64Array
  stocks: Float64Array
  createdAt: Float64Array
  sold: Float64Array
  flags: Uint8Array
  /** Attribute pairs by number; those of a row are between `attributesFrom` and `attributesUntil`. */
  attributes: Uint32Array
  attributesFrom: Uint32Array
  attributesUntil: Uint32Array
  pairs: AttributePairs
  /** Of categories and brands. */
  largestId: number
}

export const ACTIVE = 1
export const AVAILABLE = 2
/** Unset once the product of a row has been removed. */
export const PRESENT = 4
export const NO_PRICE = -1
/** Ids begin at 1. */
export const NO_ID = 0

/** `words`: all of them; `article`: the whole search as a supplier's id; `ids`: null for any. */
export type IndexFilter = Omit<ProductFilter, 'tagId'> & { words: StemmedWord[]; article: string }

export const EVERY_ACTIVE_INDEXED: IndexFilter = { ...EVERY_ACTIVE, words: [], article: '' }

const FIRST_CAPACITY = 1024

export function createColumnStore(): ColumnStore {
  return {
    ...allocate(FIRST_CAPACITY),
    length: 0,
    attributes: new Uint32Array(FIRST_CAPACITY),
    pairs: createAttributePairs(),
    largestId: 0,
  }
}

/** Doubles the capacity. */
export function growStore(store: ColumnStore): void {
  Object.assign(store, allocate(2 * store.ids.length, store))
}

function allocate(capacity: number, from?: ColumnStore) {
  return {
    ids: copyTo(new Int32Array(capacity), from?.ids),
    categories: copyTo(new Int32Array(capacity), from?.categories),
    brands: copyTo(new Int32Array(capacity), from?.brands),
    prices: copyTo(new Float64Array(capacity), from?.prices),
    stocks: copyTo(new Float64Array(capacity), from?.stocks),
    createdAt: copyTo(new Float64Array(capacity), from?.createdAt),
    sold: copyTo(new Float64Array(capacity), from?.sold),
    flags: copyTo(new Uint8Array(capacity), from?.flags),
    attributesFrom: copyTo(new Uint32Array(capacity), from?.attributesFrom),
    attributesUntil: copyTo(new Uint32Array(capacity), from?.attributesUntil),
  }
}

export function copyTo<T extends Int32Array | Uint32Array | Float64Array | Uint8Array>(to: T, from?: T): T {
  if (from) to.set(from)
  return to
}

export function hasAny(
  { attributes, attributesFrom, attributesUntil }: ColumnStore,
  row: number,
  { isWanted }: WantedAttribute,
): boolean {
  const until = attributesUntil[row] ?? 0
  for (let at = attributesFrom[row] ?? 0; at < until; at++) {
    if (isWanted[attributes[at] ?? 0] === 1) return true
  }
  return false
}

/**
 * Writes the rows that match into `found`. A plain loop over plain columns, which V8 runs ten times as fast as one
 * with closures; attributes are checked afterwards.
 * @param included 1 at each row that matches the filter's words and ids, shorter where the last ones don't; null: it has
 * neither
 * @returns how many rows match
 */
export function select(
  store: ColumnStore,
  filter: IndexFilter,
  included: Uint8Array | null,
  found: Uint32Array,
): number {
  const { flags, prices, categories, brands, largestId } = store
  const length = Math.min(store.length, included?.length ?? store.length)
  const { mask, flag, low, high } = boundsOf(filter)
  const [inCategory, ofBrand] = [
    bitmapOf(filter.categoryIds, largestId),
    bitmapOf(filter.brandIds, largestId),
  ]
  let total = 0
  for (let row = 0; row < length; row++) {
    if (included !== null && included[row] !== 1) continue
    if (((flags[row] ?? 0) & mask) !== flag) continue
    const price = prices[row] ?? NO_PRICE
    if (price < low || price > high) continue
    if (inCategory !== null && inCategory[categories[row] ?? NO_ID] !== 1) continue
    if (ofBrand !== null && ofBrand[brands[row] ?? NO_ID] !== 1) continue
    found[total++] = row
  }
  const wanted = store.pairs.wantedBy(filter.attributes)
  if (wanted.length === 0) return total
  let matching = 0
  for (let at = 0; at < total; at++) {
    const row = found[at] ?? 0
    if (wanted.every((one) => hasAny(store, row, one))) found[matching++] = row
  }
  return matching
}

/** 1 at each of the ids. Ids above the largest in use are left out, since they can be of any size. */
export function bitmapOf(ids: readonly number[] | null, largest: number): Uint8Array | null {
  if (ids === null) return null
  const bitmap = new Uint8Array(largest + 1)
  for (const id of ids) if (id <= largest) bitmap[id] = 1
  return bitmap
}

/** The filter as comparisons with single columns: which flags count and their values, and the range of the price. */
export function boundsOf({ active, inStock, minPrice, maxPrice }: IndexFilter) {
  const limited = minPrice !== null || maxPrice !== null
  return {
    mask: PRESENT | (active === null ? 0 : ACTIVE) | (inStock ? AVAILABLE : 0),
    flag: PRESENT | (active ? ACTIVE : 0) | (inStock ? AVAILABLE : 0),
    low: minPrice === null ? (limited ? 0 : NO_PRICE) : minorAround(minPrice).ceil,
    high: maxPrice === null ? Number.POSITIVE_INFINITY : minorAround(maxPrice).floor,
  }
}
