import type { WantedAttribute } from './attribute-pairs.ts'
import {
  bitmapOf,
  boundsOf,
  type ColumnStore,
  hasAny,
  type IndexFilter,
  NO_ID,
  NO_PRICE,
} from './column-store.ts'

/** Numbers of products; each facet is counted without its own filter. Prices are in minor units. */
export type FacetCounts = {
  brands: Map<number, number>
  categories: Map<number, number>
  price: { min: number; max: number } | null
  attributes: Map<string, Map<string, number>>
}

/**
 * Counts in one pass: a product that fails one part of the filter alone counts for that part's facet.
 * @param included 1 at each row that matches the filter's words and ids; null: it has none
 */
export function countFacets(
  store: ColumnStore,
  filter: IndexFilter,
  included: Uint8Array | null,
): FacetCounts {
  const { flags, brands, categories, prices, largestId } = store
  const byBrand = new Uint32Array(largestId + 1)
  const byCategory = new Uint32Array(largestId + 1)
  const byPair = new Uint32Array(store.pairs.count)
  let [min, max] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY]
  const { mask, flag, low, high } = boundsOf(filter)
  const [ofBrand, inCategory] = [
    bitmapOf(filter.brandIds, largestId),
    bitmapOf(filter.categoryIds, largestId),
  ]
  const wanted = store.pairs.wantedBy(filter.attributes)
  for (let row = 0; row < store.length; row++) {
    if (((flags[row] ?? 0) & mask) !== flag) continue
    if (included !== null && included[row] !== 1) continue
    const brand = brands[row] ?? NO_ID
    const category = categories[row] ?? NO_ID
    const price = prices[row] ?? NO_PRICE
    const brandFits = ofBrand === null || ofBrand[brand] === 1
    const categoryFits = inCategory === null || inCategory[category] === 1
    const priceFits = price >= low && price <= high
    const failed = wanted.length === 0 ? undefined : failedAttribute(store, row, wanted)
    const isFailed = failed !== undefined
    const failures = Number(!brandFits) + Number(!categoryFits) + Number(!priceFits) + Number(isFailed)
    if (failures > 1 || failed === 'several') continue
    if (failures === 0 || !brandFits) byBrand[brand] = (byBrand[brand] ?? 0) + 1
    if (failures === 0 || !categoryFits) byCategory[category] = (byCategory[category] ?? 0) + 1
    if (price !== NO_PRICE && (failures === 0 || !priceFits)) {
      if (price < min) min = price
      if (price > max) max = price
    }
    if (failures === 0 || isFailed) countPairs(store, row, byPair, failed)
  }
  const attributes = new Map<string, Map<string, number>>()
  for (const [pair, count] of byPair.entries()) {
    if (count === 0) continue
    const { name, value } = store.pairs.textOf(pair)
    const values = attributes.get(name) ?? new Map<string, number>()
    attributes.set(name, values.set(value, count))
  }
  return {
    brands: countsById(byBrand),
    categories: countsById(byCategory),
    price: min <= max ? { min, max } : null,
    attributes,
  }
}

/** The number of the only wanted name that a product lacks; undefined when it lacks none. */
function failedAttribute(
  store: ColumnStore,
  row: number,
  wanted: WantedAttribute[],
): number | 'several' | undefined {
  let failed: number | undefined
  for (const one of wanted) {
    if (hasAny(store, row, one)) continue
    if (failed !== undefined) return 'several'
    failed = one.name
  }
  return failed
}

/** @param name counts only pairs of this name */
function countPairs(
  { attributes, attributesFrom, attributesUntil, pairs: { nameOf } }: ColumnStore,
  row: number,
  counts: Uint32Array,
  name: number | undefined,
): void {
  const until = attributesUntil[row] ?? 0
  for (let at = attributesFrom[row] ?? 0; at < until; at++) {
    const pair = attributes[at] ?? 0
    if (name === undefined || nameOf[pair] === name) counts[pair] = (counts[pair] ?? 0) + 1
  }
}

function countsById(counts: Uint32Array): Map<number, number> {
  return new Map([...counts.entries()].filter(([id, count]) => id !== NO_ID && count > 0))
}
