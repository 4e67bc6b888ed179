import {
  hasAny,
  type IndexFilter,
  limitsOf,
  marksOf,
  NO_ID,
  NO_PRICE,
  type ProductStore,
  type WantedAttribute,
} from './column-store.ts'

/** Each counted without its own filter. */
export type FacetCounts = {
  brands: Map<number, number>
  categories: Map<number, number>
  price: { min: number; max: number } | null
  attributes: Map<string, Map<string, number>>
}

const LEFT_OUT = 1
const FITS = 2

/**
 * Counts in one pass: a product that misses one part of the filter alone counts for the facet of that part. Attributes
 * come behind it: of what fits, or of all less what doesn't, whichever are fewer.
 */
export function countFacets(store: ProductStore, filter: IndexFilter, marks: Uint8Array | null): FacetCounts {
  const { flags, brands, categories, prices, largestId } = store
  const byBrand = new Uint32Array(largestId + 1)
  const byCategory = new Uint32Array(largestId + 1)
  const ofMissed = new Uint32Array(store.pairs.count)
  const kinds = new Uint8Array(store.length)
  let [fitting, leftOut] = [0, 0]
  let [min, max] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY]
  const { mask, flag, low, high } = limitsOf(filter)
  const [ofBrand, inCategory] = [marksOf(filter.brandIds, largestId), marksOf(filter.categoryIds, largestId)]
  const wanted = store.pairs.wantedOf(filter)
  for (let place = 0; place < store.length; place++) {
    if (((flags[place] ?? 0) & mask) !== flag) continue
    kinds[place] = LEFT_OUT
    leftOut += 1
    if (marks !== null && marks[place] !== 1) continue
    const brand = brands[place] ?? NO_ID
    const category = categories[place] ?? NO_ID
    const price = prices[place] ?? NO_PRICE
    const brandFits = ofBrand === null || ofBrand[brand] === 1
    const categoryFits = inCategory === null || inCategory[category] === 1
    const inPrice = price >= low && price <= high
    const missed = wanted.length === 0 ? undefined : missedOf(store, place, wanted)
    const isMissed = missed !== undefined
    const misses = Number(!brandFits) + Number(!categoryFits) + Number(!inPrice) + Number(isMissed)
    if (misses > 1 || missed === 'several') continue
    if (misses === 0 || !brandFits) byBrand[brand] = (byBrand[brand] ?? 0) + 1
    if (misses === 0 || !categoryFits) byCategory[category] = (byCategory[category] ?? 0) + 1
    if (price !== NO_PRICE && (misses === 0 || !inPrice)) {
      if (price < min) min = price
      if (price > max) max = price
    }
    if (misses === 0) {
      kinds[place] = FITS
      fitting += 1
      leftOut -= 1
    } else if (isMissed) countPairsOf(store, place, ofMissed, missed)
  }
  const byPair =
    fitting <= leftOut
      ? countPairs(store, kinds, FITS, new Uint32Array(store.pairs.count))
      : countPairs(store, kinds, LEFT_OUT, allPairs(store, mask, flag).slice())
  const byName = new Map<string, Map<string, number>>()
  for (const [pair, ofFitting] of byPair.entries()) {
    const count = ofFitting + (ofMissed[pair] ?? 0)
    if (count === 0) continue
    const { name, value } = store.pairs.textOf(pair)
    const values = byName.get(name) ?? new Map<string, number>()
    byName.set(name, values.set(value, count))
  }
  return {
    brands: countsOf(byBrand),
    categories: countsOf(byCategory),
    price: min <= max ? { min, max } : null,
    attributes: byName,
  }
}

/** The name of the only one of these attributes that the product hasn't. */
function missedOf(
  store: ProductStore,
  place: number,
  wanted: WantedAttribute[],
): number | 'several' | undefined {
  let missed: number | undefined
  for (const one of wanted) {
    if (hasAny(store, place, one)) continue
    if (missed !== undefined) return 'several'
    missed = one.name
  }
  return missed
}

/** Adds the attributes of products that fit, or takes away those of products that are left out. */
function countPairs(
  { length, attributes, attributesFrom, attributesUntil }: ProductStore,
  kinds: Uint8Array,
  kind: typeof FITS | typeof LEFT_OUT,
  counts: Uint32Array,
): Uint32Array {
  const step = kind === FITS ? 1 : -1
  for (let place = 0; place < length; place++) {
    if (kinds[place] !== kind) continue
    const until = attributesUntil[place] ?? 0
    for (let at = attributesFrom[place] ?? 0; at < until; at++) {
      const pair = attributes[at] ?? 0
      counts[pair] = (counts[pair] ?? 0) + step
    }
  }
  return counts
}

/** How many products with these flags have each attribute; counted anew when something has changed since. */
function allPairs(store: ProductStore, mask: number, flag: number): Uint32Array {
  const key = (mask << 8) | flag
  const known = store.allPairs.get(key)
  if (known) return known
  const kinds = store.flags.map((flags) => ((flags & mask) === flag ? FITS : 0))
  const counts = countPairs(store, kinds, FITS, new Uint32Array(store.pairs.count))
  store.allPairs.set(key, counts)
  return counts
}

/** Counts those of one name alone. */
function countPairsOf(
  { attributes, attributesFrom, attributesUntil, pairs: { nameOf } }: ProductStore,
  place: number,
  byPair: Uint32Array,
  name: number,
): void {
  const until = attributesUntil[place] ?? 0
  for (let at = attributesFrom[place] ?? 0; at < until; at++) {
    const pair = attributes[at] ?? 0
    if (nameOf[pair] === name) byPair[pair] = (byPair[pair] ?? 0) + 1
  }
}

/** Of each id that there is any of. */
function countsOf(counts: Uint32Array): Map<number, number> {
  return new Map([...counts.entries()].filter(([id, count]) => id !== NO_ID && count > 0))
}
