import { AVAILABLE, NO_PRICE, type ProductStore } from './column-store.ts'
import type { ProductWords } from './words.ts'

/** `match`: the best one first (contract section 4, "search"); the others as their columns, then by id. */
export type IndexOrder = 'match' | 'id' | 'name' | 'price' | 'stock' | 'createdAt'

/** What is wanted of a list. */
export type IndexPage = { order: IndexOrder; descending: boolean; offset: number; size: number }

type Compared = { price: number; stock: number; createdAt: number }
type Sorted = 'name' | keyof Compared

/** Products in the orders that lists can have. */
export type ProductOrders = {
  /** What a product is sorted by, before it is written into the store. */
  note(place: number, product: Compared): void
  /** Products came, went or moved, or (of `name`) were renamed. */
  forget(order?: 'name'): void
  /** Counts how often the order of the names was forgotten. */
  readonly namesForgotten: number
  /** The order of the names is that of an alphabet, which the database knows. */
  readonly knowsNames: boolean
  setNames(places: Uint32Array): void
  /**
   * The places of a page, out of those found, which are in the order of ids.
   * @param levels how well each place matches the words: 0 best
   */
  page(found: Uint32Array, page: IndexPage, levels: Uint8Array): Uint32Array
}

/** Up to so many the best are picked out one by one; for more it is quicker to sort all. */
const MAX_PICKED = 200
/** Beyond these figures more makes no difference; all of them together fit into the digits of a number. */
const MAX_SOLD = 2 ** 30 - 1
const LONGEST = 2 ** 11 - 1

export function createProductOrders(store: ProductStore, words: ProductWords): ProductOrders {
  /** All places in the order of a column, made when it is asked for. */
  const sorted = new Map<Sorted, Uint32Array>()
  let namesForgotten = 0
  /** At each place what matches are sorted by; made once. */
  let keys = new Float64Array()
  const columnOf = {
    price: () => store.prices,
    stock: () => store.stocks,
    createdAt: () => store.createdAt,
  }

  /** What has no price comes last either way, so it is left out here. */
  function sortedBy(column: Sorted): Uint32Array {
    const known = sorted.get(column)
    if (known) return known
    if (column === 'name') throw new Error('The order of the names is not known')
    const values = columnOf[column]()
    const all = Uint32Array.from({ length: store.length }, (_, place) => place)
    const placed = column === 'price' ? all.filter((place) => values[place] !== NO_PRICE) : all
    placed.sort((a, b) => (values[a] ?? 0) - (values[b] ?? 0) || a - b)
    sorted.set(column, placed)
    return placed
  }

  function byColumn(found: Uint32Array, column: Sorted, { descending, offset, size }: IndexPage) {
    const isFound = new Uint8Array(store.length)
    for (const place of found) isFound[place] = 1
    const listed = new Uint32Array(Math.max(0, Math.min(size, found.length - offset)))
    if (listed.length === 0) return listed
    const order = sortedBy(column)
    let passed = 0
    const take = (place: number): boolean => {
      if (passed >= offset) listed[passed - offset] = place
      passed += 1
      return passed - offset >= listed.length
    }
    for (let at = 0; at < order.length; at++) {
      const place = order[descending ? order.length - 1 - at : at] ?? 0
      if (isFound[place] === 1 && take(place)) return listed
    }
    const rest = column === 'price' ? found.filter((place) => store.prices[place] === NO_PRICE) : []
    for (const place of descending ? rest.toReversed() : rest) if (take(place)) break
    return listed
  }

  /** One number for all that matches are sorted by but the id, the smallest first. */
  function matchOf(place: number, level: number): number {
    const missing = ((store.flags[place] ?? 0) & AVAILABLE) === 0 ? 1 : 0
    const unsold = MAX_SOLD - Math.min(MAX_SOLD, store.sold[place] ?? 0)
    const length = Math.min(LONGEST, words.lengthAt(place))
    return ((level * 2 + missing) * (MAX_SOLD + 1) + unsold) * (LONGEST + 1) + length
  }

  function byMatch(found: Uint32Array, levels: Uint8Array, { offset, size }: IndexPage): Uint32Array {
    const until = Math.min(offset + size, found.length)
    if (keys.length < store.length) keys = new Float64Array(store.ids.length)
    for (const place of found) keys[place] = matchOf(place, levels[place] ?? 0)
    const compare = (a: number, b: number) => (keys[a] ?? 0) - (keys[b] ?? 0) || a - b
    if (until > MAX_PICKED) return found.slice().sort(compare).subarray(offset, until)
    const best = new Uint32Array(until)
    let length = 0
    for (const place of found) {
      if (length === until && compare(place, best[length - 1] ?? 0) > 0) continue
      let at = length < until ? length++ : length - 1
      for (; at > 0 && compare(place, best[at - 1] ?? 0) < 0; at--) best[at] = best[at - 1] ?? 0
      best[at] = place
    }
    return best.subarray(offset)
  }

  return {
    note(place, product) {
      for (const column of sorted.keys()) {
        if (column !== 'name' && columnOf[column]()[place] !== product[column]) sorted.delete(column)
      }
    },
    forget(order) {
      if (order === undefined) sorted.clear()
      else sorted.delete(order)
      namesForgotten += 1
    },
    get namesForgotten() {
      return namesForgotten
    },
    get knowsNames() {
      return sorted.has('name')
    },
    setNames: (places) => void sorted.set('name', places),
    page(found, page, levels) {
      if (page.order === 'match') return byMatch(found, levels, page)
      if (page.order !== 'id') return byColumn(found, page.order, page)
      const { length } = found
      const [from, to] = [page.offset, page.offset + page.size]
      if (!page.descending) return found.subarray(Math.min(from, length), Math.min(to, length))
      return found.subarray(Math.max(0, length - to), Math.max(0, length - from)).toReversed()
    },
  }
}
