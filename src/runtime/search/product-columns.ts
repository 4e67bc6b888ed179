import {
  ACTIVE,
  AVAILABLE,
  attributesOf,
  EVERY_ACTIVE_INDEXED,
  type IndexFilter,
  NO_ID,
  NO_PRICE,
  PRESENT,
  type ProductStore,
  select,
} from './column-store.ts'
import { countFacets, type FacetCounts } from './facets.ts'
import { createProductOrders, type IndexPage } from './sort-orders.ts'
import { createProductWords, type ProductWords } from './words.ts'

/** A product by what lists are narrowed to and sorted by, and what facets count. */
export type IndexedProduct = {
  id: number
  name: string
  active: boolean
  categoryId: number | null
  brandId: number | null
  /** In minor units; null: none. */
  price: number | null
  available: boolean
  stock: number
  /** Any number that grows with the time. */
  createdAt: number
  /** How many pieces of it were ordered of late. */
  sold: number
  attributes: [name: string, value: string][]
}

/** Products by what lists are narrowed to, a column each: a pass over fifty thousand takes a fraction of a millisecond. */
export type ProductColumns = {
  readonly words: Pick<ProductWords, 'stemOf' | 'isKnown' | 'similarTo'>
  /** @param stemOf of each word of the products' names */
  put(products: IndexedProduct[], stemOf: (word: string) => string): void
  remove(ids: Iterable<number>): void
  /** The ids above the one, up to the other. */
  idsBetween(after: number, last: number): number[]
  /** Whether more is left behind by what changed than is of use: then they should be read into new ones. */
  readonly wasteful: boolean
  /** Whether `find` knows the order of the names; it does until a product comes, goes or is renamed. */
  readonly knowsNames: boolean
  /** Asks for the ids of all products in the order of their names, and keeps it unless that changes meanwhile. */
  learnNames(listByName: () => Promise<number[]>): Promise<void>
  /** How many products the filter leaves, and the ids of a page of them. */
  find(filter: IndexFilter, page: IndexPage): { total: number; ids: number[] }
  countFacets(filter: IndexFilter): FacetCounts
  /** Words that begin so, of active products that have words beginning with each of the others, the most frequent first. */
  completeWord(beginning: string, others: readonly string[], most: number): string[]
  /** Active products whose names have words that begin with each of these, the best matches first. */
  suggest(beginnings: readonly string[], most: number): number[]
}

/** Names that are looked through for what stands beside a word: a beginning of two letters finds thousands. */
const MAX_NAMES_SCANNED = 1000
const FIRST_CAPACITY = 1024

export function createProductColumns(): ProductColumns {
  /** Where each product is in the store, which is in the order of ids. */
  const places = new Map<number, number>()
  const words = createProductWords()
  const store: ProductStore = {
    length: 0,
    ids: new Int32Array(FIRST_CAPACITY),
    categories: new Int32Array(FIRST_CAPACITY),
    brands: new Int32Array(FIRST_CAPACITY),
    prices: new Float64Array(FIRST_CAPACITY),
    stocks: new Float64Array(FIRST_CAPACITY),
    createdAt: new Float64Array(FIRST_CAPACITY),
    sold: new Float64Array(FIRST_CAPACITY),
    flags: new Uint8Array(FIRST_CAPACITY),
    attributes: new Uint32Array(FIRST_CAPACITY),
    attributesFrom: new Uint32Array(FIRST_CAPACITY),
    attributesUntil: new Uint32Array(FIRST_CAPACITY),
    pairs: attributesOf(),
    allPairs: new Map(),
    largestId: 0,
  }
  const orders = createProductOrders(store, words)
  /** Where the attributes of the next product go. */
  let attributesEnd = 0
  let attributesInUse = 0
  /** Where what is looked for is, and what a filter's words and tag leave; made once. */
  let found = new Uint32Array()
  let marks = new Uint8Array()
  let levels = new Uint8Array()
  /** A product came behind one of a larger id. */
  let disordered = false

  /** @param order at each new place the former one; null: nothing moves */
  function arrange(order: Uint32Array | null, capacity: number): void {
    const moved = <T extends Int32Array | Uint32Array | Float64Array | Uint8Array>(from: T, to: T): T => {
      if (order === null) to.set(from)
      else for (let place = 0; place < order.length; place++) to[place] = from[order[place] ?? 0] ?? 0
      return to
    }
    store.ids = moved(store.ids, new Int32Array(capacity))
    store.categories = moved(store.categories, new Int32Array(capacity))
    store.brands = moved(store.brands, new Int32Array(capacity))
    store.prices = moved(store.prices, new Float64Array(capacity))
    store.stocks = moved(store.stocks, new Float64Array(capacity))
    store.createdAt = moved(store.createdAt, new Float64Array(capacity))
    store.sold = moved(store.sold, new Float64Array(capacity))
    store.flags = moved(store.flags, new Uint8Array(capacity))
    store.attributesFrom = moved(store.attributesFrom, new Uint32Array(capacity))
    store.attributesUntil = moved(store.attributesUntil, new Uint32Array(capacity))
    if (order !== null) words.rearrange(order)
  }

  /** In the order of ids again, and without holes when there are many. */
  function tidy(): void {
    if (disordered || places.size < store.length / 2) {
      const { ids } = store
      const order = Uint32Array.from(places.values()).sort((a, b) => (ids[a] ?? 0) - (ids[b] ?? 0))
      arrange(order, Math.max(FIRST_CAPACITY, order.length))
      store.length = order.length
      for (let place = 0; place < store.length; place++) places.set(store.ids[place] ?? 0, place)
      orders.forget()
      disordered = false
    }
    if (found.length >= store.length) return
    found = new Uint32Array(store.ids.length)
    marks = new Uint8Array(store.ids.length)
    levels = new Uint8Array(store.ids.length)
  }

  function placeOf(id: number): number {
    const known = places.get(id)
    if (known !== undefined) return known
    const { length, ids } = store
    if (length === ids.length) arrange(null, length * 2)
    if (length > 0 && (ids[length - 1] ?? 0) > id) disordered = true
    store.ids[length] = id
    orders.forget()
    places.set(id, length)
    store.length += 1
    return length
  }

  /** In the place of the former ones if there is room, else at the end: what is left behind goes when all is read anew. */
  function putAttributes(place: number, numbers: number[]): void {
    const from = store.attributesFrom[place] ?? 0
    const former = (store.attributesUntil[place] ?? 0) - from
    const fits = numbers.length <= former
    attributesInUse += numbers.length - former
    const at = fits ? from : attributesEnd
    if (!fits) attributesEnd += numbers.length
    if (attributesEnd > store.attributes.length) {
      const longer = new Uint32Array(2 * attributesEnd)
      longer.set(store.attributes)
      store.attributes = longer
    }
    store.attributes.set(numbers, at)
    store.attributesFrom[place] = at
    store.attributesUntil[place] = at + numbers.length
  }

  /** Marks what words and a tag leave; null: they narrow nothing. */
  function mark({ words: sought, among }: IndexFilter): Uint8Array | null {
    levels.fill(0)
    if (sought.length === 0 && among === null) return null
    marks.fill(0)
    if (sought.length > 0) words.match(sought, marks, levels)
    if (among !== null) {
      const kept = [...among].flatMap((id) => places.get(id) ?? [])
      const both = sought.length === 0 ? kept : kept.filter((place) => marks[place] === 1)
      marks.fill(0)
      for (const place of both) marks[place] = 1
    }
    return marks
  }

  /** Places of active products. */
  function beginningWith(beginnings: readonly string[]): Uint32Array {
    tidy()
    marks.fill(0)
    words.matchBeginnings(beginnings, marks)
    return found.subarray(0, select(store, EVERY_ACTIVE_INDEXED, marks, found))
  }

  function countActive(all: readonly number[]): number {
    let count = 0
    for (const place of all) if (((store.flags[place] ?? 0) & ACTIVE) !== 0) count += 1
    return count
  }

  return {
    words,
    put(products, stemOf) {
      store.allPairs.clear()
      for (const product of products) {
        const place = placeOf(product.id)
        const { active, available, categoryId, brandId, price, stock, createdAt, attributes } = product
        orders.note(place, { price: price ?? NO_PRICE, stock, createdAt })
        store.categories[place] = categoryId ?? NO_ID
        store.brands[place] = brandId ?? NO_ID
        store.largestId = Math.max(store.largestId, categoryId ?? 0, brandId ?? 0)
        store.prices[place] = price ?? NO_PRICE
        store.stocks[place] = stock
        store.createdAt[place] = createdAt
        store.sold[place] = product.sold
        store.flags[place] = PRESENT | (active ? ACTIVE : 0) | (available ? AVAILABLE : 0)
        putAttributes(place, store.pairs.numbersOf(attributes))
        if (words.put(place, product.name, stemOf)) orders.forget('name')
      }
    },
    remove(gone) {
      store.allPairs.clear()
      for (const id of gone) {
        const place = places.get(id)
        if (place === undefined) continue
        words.remove(place)
        places.delete(id)
        store.flags[place] = 0
        putAttributes(place, [])
      }
    },
    idsBetween(after, last) {
      tidy()
      const ids: number[] = []
      for (let place = firstAbove(store, after); place < store.length; place++) {
        const id = store.ids[place] ?? 0
        if (id > last) break
        if (places.has(id)) ids.push(id)
      }
      return ids
    },
    get wasteful() {
      const unused = (all: number, used: number) => all > 2 * used + FIRST_CAPACITY
      return unused(attributesEnd, attributesInUse) || unused(words.known, words.used)
    },
    get knowsNames() {
      tidy()
      return orders.knowsNames
    },
    async learnNames(listByName) {
      const before = orders.namesForgotten
      const byName = await listByName()
      if (disordered || orders.namesForgotten !== before) return
      orders.setNames(Uint32Array.from(byName.flatMap((id) => places.get(id) ?? [])))
    },
    find(filter, page) {
      tidy()
      const total = select(store, filter, mark(filter), found)
      const listed = page.size === 0 ? [] : orders.page(found.subarray(0, total), page, levels)
      return { total, ids: Array.from(listed, (place) => store.ids[place] ?? 0) }
    },
    countFacets(filter) {
      tidy()
      return countFacets(store, filter, mark(filter))
    },
    completeWord(beginning, others, most) {
      const counts = new Map<string, number>()
      if (others.length === 0) {
        tidy()
        for (const { word, places } of words.beginning(beginning)) counts.set(word, countActive(places))
      } else {
        for (const place of beginningWith([...others, beginning]).subarray(0, MAX_NAMES_SCANNED)) {
          const own = words.wordsAt(place).filter((word) => word.startsWith(beginning))
          for (const word of own) counts.set(word, (counts.get(word) ?? 0) + 1)
        }
      }
      return [...counts]
        .filter(([, count]) => count > 0)
        .sort(([a, many], [b, more]) => more - many || (a < b ? -1 : 1))
        .slice(0, most)
        .map(([word]) => word)
    },
    suggest(beginnings, most) {
      const all = beginningWith(beginnings)
      levels.fill(0)
      const best = orders.page(all, { order: 'match', descending: false, offset: 0, size: most }, levels)
      return Array.from(best, (place) => store.ids[place] ?? 0)
    },
  }
}

/** The first place of an id above this one. */
function firstAbove({ ids, length }: ProductStore, id: number): number {
  let [low, high] = [0, length]
  while (low < high) {
    const middle = (low + high) >> 1
    if ((ids[middle] ?? 0) > id) high = middle
    else low = middle + 1
  }
  return low
}
