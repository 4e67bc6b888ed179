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

/** How many products with certain flags have each attribute pair, by those flags; empty after any change. */
export type PairTotals = Map<number, Uint32Array>

const LEFT_OUT = 1
const MATCHES = 2

/**
 * Counts in one pass: a product that fails one part of the filter alone counts for that part's facet. Attributes are
 * counted afterwards: those of the matching rows, or the totals less those of the others, whichever rows are fewer.
 * @param included 1 at each row that matches the filter's words and ids; null: it has none
 */
export function countFacets(
  store: ColumnStore,
  filter: IndexFilter,
  included: Uint8Array | null,
  totals: PairTotals,
): FacetCounts {
  const { flags, brands, categories, prices, largestId } = store
  const byBrand = new Uint32Array(largestId + 1)
  const byCategory = new Uint32Array(largestId + 1)
  const byFailedPair = new Uint32Array(store.pairs.count)
  const kinds = new Uint8Array(store.length)
  let [matching, leftOut] = [0, 0]
  let [min, max] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY]
  const { mask, flag, low, high } = boundsOf(filter)
  const [ofBrand, inCategory] = [
    bitmapOf(filter.brandIds, largestId),
    bitmapOf(filter.categoryIds, largestId),
  ]
  const wanted = store.pairs.wantedBy(filter.attributes)
  for (let row = 0; row < store.length; row++) {
    if (((flags[row] ?? 0) & mask) !== flag) continue
    kinds[row] = LEFT_OUT
    leftOut += 1
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
    if (failures === 0) {
      kinds[row] = MATCHES
      matching += 1
      leftOut -= 1
    } else if (isFailed) countPairsNamed(store, row, byFailedPair, failed)
  }
  const byPair =
    matching <= leftOut
      ? countPairs(store, kinds, MATCHES, new Uint32Array(store.pairs.count))
      : countPairs(store, kinds, LEFT_OUT, pairTotals(store, totals, mask, flag).slice())
  const attributes = new Map<string, Map<string, number>>()
  for (const [pair, ofMatching] of byPair.entries()) {
    const count = ofMatching + (byFailedPair[pair] ?? 0)
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

/** The name of the attribute that a product lacks. */
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

/** Adds the pairs of matching rows, or subtracts those of the rows that were left out. */
function countPairs(
  { length, attributes, attributesFrom, attributesUntil }: ColumnStore,
  kinds: Uint8Array,
  kind: typeof MATCHES | typeof LEFT_OUT,
  counts: Uint32Array,
): Uint32Array {
  const step = kind === MATCHES ? 1 : -1
  for (let row = 0; row < length; row++) {
    if (kinds[row] !== kind) continue
    const until = attributesUntil[row] ?? 0
    for (let at = attributesFrom[row] ?? 0; at < until; at++) {
      const pair = attributes[at] ?? 0
      counts[pair] = (counts[pair] ?? 0) + step
    }
  }
  return counts
}

function pairTotals(store: ColumnStore, totals: PairTotals, mask: number, flag: number): Uint32Array {
  const key = (mask << 8) | flag
  const known = totals.get(key)
  if (known) return known
  const kinds = store.flags.map((flags) => ((flags & mask) === flag ? MATCHES : 0))
  const counts = countPairs(store, kinds, MATCHES, new Uint32Array(store.pairs.count))
  totals.set(key, counts)
  return counts
}

/** Counts only the pairs of one name. */
function countPairsNamed(
  { attributes, attributesFrom, attributesUntil, pairs: { nameOf } }: ColumnStore,
  row: number,
  counts: Uint32Array,
  name: number,
): void {
  const until = attributesUntil[row] ?? 0
  for (let at = attributesFrom[row] ?? 0; at < until; at++) {
    const pair = attributes[at] ?? 0
    if (nameOf[pair] === name) counts[pair] = (counts[pair] ?? 0) + 1
  }
}

function countsById(counts: Uint32Array): Map<number, number> {
  return new Map([...counts.entries()].filter(([id, count]) => id !== NO_ID && count > 0))
}
