/** A product by what lists are narrowed to and facets count. */
export type IndexedProduct = {
  id: number
  active: boolean
  categoryId: number | null
  brandId: number | null
  /** In minor units; null: none. */
  price: number | null
  available: boolean
  attributes: [name: string, value: string][]
}

/** What products are narrowed to; null: by nothing. */
export type IndexFilter = {
  active: boolean | null
  categoryIds: ReadonlySet<number> | null
  brandIds: ReadonlySet<number> | null
  /** In minor units, both included; a product without a price is outside any limit. */
  minPrice: number | null
  maxPrice: number | null
  inStock: boolean
  /** Any of the values of a name, and all of the names. */
  attributes: ReadonlyMap<string, ReadonlySet<string>>
}

/** Each counted without its own filter. */
export type FacetCounts = {
  brands: Map<number, number>
  categories: Map<number, number>
  price: { min: number; max: number } | null
  attributes: Map<string, Map<string, number>>
}

/** What is wanted of a list in the order of ids. */
export type IdPage = { descending: boolean; offset: number; size: number }

/** Products by what lists are narrowed to, a column each: a pass over fifty thousand takes a fraction of a millisecond. */
export type ProductColumns = {
  put(products: IndexedProduct[]): void
  remove(ids: Iterable<number>): void
  /** How many products the filter leaves, and the ids of a page of them. */
  find(filter: IndexFilter, page: IdPage): { total: number; ids: number[] }
  /** @param among what a search or a tag leaves; null: all */
  countFacets(filter: IndexFilter, among: ReadonlySet<number> | null): FacetCounts
}

type Pair = { name: number; value: string }

const ACTIVE = 1
const AVAILABLE = 2
const NONE = -1
const FIRST_CAPACITY = 1024

export function createProductColumns(): ProductColumns {
  /** Where each product is in the columns, which are in the order of ids. */
  const places = new Map<number, number>()
  let length = 0
  let ids = new Int32Array(FIRST_CAPACITY)
  let categories = new Int32Array(FIRST_CAPACITY)
  let brands = new Int32Array(FIRST_CAPACITY)
  let prices = new Float64Array(FIRST_CAPACITY)
  let flags = new Uint8Array(FIRST_CAPACITY)
  let attributesOf: Uint32Array[] = []
  /** A product came behind one of a larger id, or there are holes. */
  let disordered = false

  const names: string[] = []
  const nameIds = new Map<string, number>()
  const pairs: Pair[] = []
  const pairIds = new Map<string, number>()

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

  function arrange(order: readonly number[] | null, capacity: number): void {
    const moved = <T extends Int32Array | Float64Array | Uint8Array>(from: T, to: T): T => {
      if (order === null) to.set(from)
      else for (const [place, former] of order.entries()) to[place] = from[former] ?? 0
      return to
    }
    ids = moved(ids, new Int32Array(capacity))
    categories = moved(categories, new Int32Array(capacity))
    brands = moved(brands, new Int32Array(capacity))
    prices = moved(prices, new Float64Array(capacity))
    flags = moved(flags, new Uint8Array(capacity))
    if (order !== null) attributesOf = order.map((former) => attributesOf[former] ?? new Uint32Array())
  }

  /** In the order of ids again, without holes. */
  function tidy(): void {
    if (!disordered) return
    const order = [...places].sort(([a], [b]) => a - b).map(([, place]) => place)
    arrange(order, Math.max(FIRST_CAPACITY, order.length))
    length = order.length
    for (let place = 0; place < length; place++) places.set(ids[place] ?? 0, place)
    disordered = false
  }

  function placeOf(id: number): number {
    const known = places.get(id)
    if (known !== undefined) return known
    if (length === ids.length) arrange(null, length * 2)
    if (length > 0 && (ids[length - 1] ?? 0) > id) disordered = true
    ids[length] = id
    places.set(id, length)
    return length++
  }

  /** The numbers of a filter's attributes: of each name, and of the values any of which is wanted. */
  function wantedOf({ attributes }: IndexFilter): { name: number; pairs: Set<number> }[] {
    return [...attributes].map(([name, values]) => {
      const known = nameIds.get(name) ?? NONE
      return {
        name: known,
        pairs: new Set([...values].map((value) => pairIds.get(`${known} ${value}`) ?? NONE)),
      }
    })
  }

  return {
    put(products) {
      for (const { id, active, available, categoryId, brandId, price, attributes } of products) {
        const place = placeOf(id)
        categories[place] = categoryId ?? NONE
        brands[place] = brandId ?? NONE
        prices[place] = price ?? NONE
        flags[place] = (active ? ACTIVE : 0) | (available ? AVAILABLE : 0)
        attributesOf[place] = Uint32Array.from(
          new Set(attributes.map(([name, value]) => pairId(name, value))),
        )
      }
    },
    remove(gone) {
      for (const id of gone) if (places.delete(id)) disordered = true
    },
    find(filter, { descending, offset, size }) {
      tidy()
      const { categoryIds, brandIds } = filter
      const { mask, flag, low, high } = limitsOf(filter)
      const wanted = wantedOf(filter)
      const found: number[] = []
      let total = 0
      for (let step = 0; step < length; step++) {
        const place = descending ? length - 1 - step : step
        if (((flags[place] ?? 0) & mask) !== flag) continue
        const price = prices[place] ?? NONE
        if (price < low || price > high) continue
        if (categoryIds !== null && !categoryIds.has(categories[place] ?? NONE)) continue
        if (brandIds !== null && !brandIds.has(brands[place] ?? NONE)) continue
        if (wanted.length > 0) {
          const own = attributesOf[place]
          if (!wanted.every((one) => own?.some((pair) => one.pairs.has(pair)))) continue
        }
        if (total >= offset && found.length < size) found.push(ids[place] ?? 0)
        total += 1
      }
      return { total, ids: found }
    },
    countFacets(filter, among) {
      tidy()
      const byBrand = new Map<number, number>()
      const byCategory = new Map<number, number>()
      const byPair = new Uint32Array(pairs.length)
      let [min, max] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY]
      const { mask, flag, low, high } = limitsOf(filter)
      const wanted = wantedOf(filter)
      for (let place = 0; place < length; place++) {
        if (((flags[place] ?? 0) & mask) !== flag) continue
        if (among !== null && !among.has(ids[place] ?? 0)) continue
        const [brand, category, price] = [
          brands[place] ?? NONE,
          categories[place] ?? NONE,
          prices[place] ?? NONE,
        ]
        const brandFits = filter.brandIds === null || filter.brandIds.has(brand)
        const categoryFits = filter.categoryIds === null || filter.categoryIds.has(category)
        const inPrice = price >= low && price <= high
        let misses = Number(!brandFits) + Number(!categoryFits) + Number(!inPrice)
        if (misses > 1) continue
        const own = attributesOf[place] ?? new Uint32Array()
        let missed = NONE
        for (const one of wanted) {
          if (own.some((pair) => one.pairs.has(pair))) continue
          misses += 1
          missed = one.name
          if (misses > 1) break
        }
        if (misses > 1) continue
        if ((misses === 0 || !brandFits) && brand !== NONE) add(byBrand, brand)
        if ((misses === 0 || !categoryFits) && category !== NONE) add(byCategory, category)
        if (price !== NONE && (misses === 0 || !inPrice)) {
          if (price < min) min = price
          if (price > max) max = price
        }
        if (misses > 0 && missed === NONE) continue
        for (const pair of own) {
          if (misses === 0 || pairs[pair]?.name === missed) byPair[pair] = (byPair[pair] ?? 0) + 1
        }
      }
      const attributes = new Map<string, Map<string, number>>()
      for (const [pair, count] of byPair.entries()) {
        const known = pairs[pair]
        if (count === 0 || known === undefined) continue
        const name = names[known.name] ?? ''
        const values = attributes.get(name) ?? new Map<string, number>()
        attributes.set(name, values.set(known.value, count))
      }
      return { brands: byBrand, categories: byCategory, price: min <= max ? { min, max } : null, attributes }
    },
  }
}

/** As the columns can be compared with, one by one: which flags count and what they are to be, and what the price is. */
function limitsOf({ active, inStock, minPrice, maxPrice }: IndexFilter) {
  const limited = minPrice !== null || maxPrice !== null
  return {
    mask: (active === null ? 0 : ACTIVE) | (inStock ? AVAILABLE : 0),
    flag: (active ? ACTIVE : 0) | (inStock ? AVAILABLE : 0),
    low: minPrice ?? (limited ? 0 : NONE),
    high: maxPrice ?? Number.POSITIVE_INFINITY,
  }
}

function add(counts: Map<number, number>, id: number): void {
  counts.set(id, (counts.get(id) ?? 0) + 1)
}
