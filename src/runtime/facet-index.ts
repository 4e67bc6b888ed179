import type { Change } from './changes.ts'

/** A product as facets see it. */
export type FacetProduct = {
  id: number
  categoryId: number | null
  brandId: number | null
  /** In minor units; null: none. */
  price: number | null
  available: boolean
  attributes: [name: string, value: string][]
}

/** What is counted is narrowed to; null: by nothing. */
type FacetFilter = {
  categoryIds: ReadonlySet<number> | null
  brandIds: ReadonlySet<number> | null
  /** In minor units, both included. */
  minPrice: number | null
  maxPrice: number | null
  inStock: boolean
  /** Any of the values of a name, and all of the names. */
  attributes: ReadonlyMap<string, ReadonlySet<string>>
  /** What a search or a tag leaves. */
  ids: ReadonlySet<number> | null
}

/** Each counted without its own filter. */
export type FacetCounts = {
  brands: Map<number, number>
  categories: Map<number, number>
  price: { min: number; max: number } | null
  attributes: Map<string, Map<string, number>>
}

/** Every active product by what facets count, in the memory of the process: a pass over all of them is milliseconds. */
export type FacetIndex = {
  put(products: FacetProduct[]): void
  remove(ids: Iterable<number>): void
  clear(): void
  count(filter: FacetFilter): FacetCounts
  /** Notes what a change makes stale. */
  hear(changes: Change[]): void
  /** What is stale since the last call: these products, or all of them. */
  takeStale(): Set<number> | 'all'
  /** Everything is stale: what was taken could not be read. */
  forget(): void
  /** While what others change is not heard, everything is stale each time. */
  setTrusted(trusted: boolean): void
}

type Entry = Omit<FacetProduct, 'id' | 'attributes'> & { pairs: Uint32Array }
type Pair = { name: number; value: string }

export function createFacetIndex(): FacetIndex {
  const entries = new Map<number, Entry>()
  const names: string[] = []
  const nameIds = new Map<string, number>()
  const pairs: Pair[] = []
  const pairIds = new Map<string, number>()
  let stale: Set<number> | 'all' = 'all'
  let trusted = false

  function nameId(name: string): number {
    const known = nameIds.get(name)
    if (known !== undefined) return known
    nameIds.set(name, names.length)
    return names.push(name) - 1
  }

  function pairId(name: string, value: string): number {
    const key = `${nameId(name)} ${value}`
    const known = pairIds.get(key)
    if (known !== undefined) return known
    pairIds.set(key, pairs.length)
    return pairs.push({ name: nameId(name), value }) - 1
  }

  function clear(): void {
    entries.clear()
    names.length = 0
    nameIds.clear()
    pairs.length = 0
    pairIds.clear()
  }

  return {
    put(products) {
      for (const { id, attributes, ...entry } of products) {
        const own = new Set(attributes.map(([name, value]) => pairId(name, value)))
        entries.set(id, { ...entry, pairs: Uint32Array.from(own) })
      }
    },
    remove(ids) {
      for (const id of ids) entries.delete(id)
    },
    clear,
    count(filter) {
      const brands = new Map<number, number>()
      const categories = new Map<number, number>()
      const counts = new Uint32Array(pairs.length)
      let [min, max] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY]
      const { minPrice, maxPrice } = filter
      const wanted = [...filter.attributes].map(([name, values]) => ({
        name: nameIds.get(name) ?? -1,
        pairs: new Set([...values].map((value) => pairIds.get(`${nameIds.get(name) ?? -1} ${value}`) ?? -1)),
      }))
      for (const [id, entry] of entries) {
        if (filter.ids !== null && !filter.ids.has(id)) continue
        if (filter.inStock && !entry.available) continue
        const { brandId, categoryId, price } = entry
        const brandFits = filter.brandIds === null || (brandId !== null && filter.brandIds.has(brandId))
        const categoryFits =
          filter.categoryIds === null || (categoryId !== null && filter.categoryIds.has(categoryId))
        const priceFits =
          (minPrice === null && maxPrice === null) ||
          (price !== null && price >= (minPrice ?? 0) && price <= (maxPrice ?? Number.POSITIVE_INFINITY))
        let misses = Number(!brandFits) + Number(!categoryFits) + Number(!priceFits)
        if (misses > 1) continue
        let missed = -1
        for (const one of wanted) {
          if (entry.pairs.some((pair) => one.pairs.has(pair))) continue
          misses += 1
          missed = one.name
          if (misses > 1) break
        }
        if (misses > 1) continue
        if (misses === 0 || !brandFits) if (brandId !== null) add(brands, brandId)
        if (misses === 0 || !categoryFits) if (categoryId !== null) add(categories, categoryId)
        if (price !== null && (misses === 0 || !priceFits)) {
          if (price < min) min = price
          if (price > max) max = price
        }
        if (misses > 0 && missed === -1) continue
        for (const pair of entry.pairs) {
          if (misses === 0 || pairs[pair]?.name === missed) counts[pair] = (counts[pair] ?? 0) + 1
        }
      }
      const attributes = new Map<string, Map<string, number>>()
      for (const [pair, count] of counts.entries()) {
        const known = pairs[pair]
        if (count === 0 || known === undefined) continue
        const name = names[known.name] ?? ''
        const values = attributes.get(name) ?? new Map<string, number>()
        attributes.set(name, values.set(known.value, count))
      }
      return { brands, categories, price: min <= max ? { min, max } : null, attributes }
    },
    hear(changes) {
      for (const { kind, ids } of changes) {
        if (kind !== 'product' && kind !== 'stock') continue
        if (ids === null) stale = 'all'
        else if (stale !== 'all') for (const id of ids) stale.add(Number(id))
      }
    },
    forget() {
      stale = 'all'
    },
    setTrusted(value) {
      trusted = value
      stale = 'all'
    },
    takeStale() {
      const taken = stale
      if (trusted) stale = new Set()
      return taken
    },
  }
}

function add(counts: Map<number, number>, id: number): void {
  counts.set(id, (counts.get(id) ?? 0) + 1)
}
