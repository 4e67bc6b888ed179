import { AVAILABLE, type ColumnStore, NO_PRICE } from './column-store.ts'
import type { ProductWords } from './words.ts'

/** The columns by which products are sorted. */
const SORTED = ['id', 'price', 'stock', 'createdAt', 'popularity'] as const
type SortedColumn = (typeof SORTED)[number]

export type IndexPage = {
  /** `match`: the best match first (contract section 4, "search"). Rows: all of them in another order. */
  order: 'match' | SortedColumn | Uint32Array
  descending: boolean
  offset: number
  size: number
}

/** Up to this many rows, picking the best one by one is quicker than sorting all. */
const MAX_PICKED = 200
/** Larger values count as these, so that all parts of a match key fit into a double. */
const MAX_SOLD = 2 ** 30 - 1
const MAX_NAME_LENGTH = 2 ** 11 - 1

/** Sorts rows of the store for lists; ties are broken by id. */
export function createSortOrders(store: ColumnStore, words: ProductWords) {
  const cached = new Map<SortedColumn, Uint32Array>()

  const byId = (a: number, b: number) => (store.id[a] ?? 0) - (store.id[b] ?? 0)

  /** Rows without a price are left out: they come last in both directions. */
  function rowsBy(column: SortedColumn): Uint32Array {
    const known = cached.get(column)
    if (known) return known
    const values = store[column]
    const all = Uint32Array.from({ length: store.id.length }, (_, row) => row)
    const sorted = column === 'price' ? all.filter((row) => values[row] !== NO_PRICE) : all
    sorted.sort((a, b) => (values[a] ?? 0) - (values[b] ?? 0) || byId(a, b))
    cached.set(column, sorted)
    return sorted
  }

  /** Rows missing from the order come last, by id: without a price, or added since the order was read. */
  function byOrder(found: Uint32Array, order: Uint32Array, { descending, offset, size }: IndexPage) {
    const isLeft = new Uint8Array(store.id.length)
    for (const row of found) isLeft[row] = 1
    const listed = new Uint32Array(Math.max(0, Math.min(size, found.length - offset)))
    let passed = 0
    for (const rows of [order, rowsBy('id')]) {
      for (let at = 0; at < rows.length && passed < offset + listed.length; at++) {
        const row = rows[descending ? rows.length - 1 - at : at] ?? 0
        if (isLeft[row] !== 1) continue
        isLeft[row] = 0
        if (passed >= offset) listed[passed - offset] = row
        passed += 1
      }
    }
    return listed
  }

  /** All sort criteria of a match except the id as one number; the best match has the smallest. */
  function matchKey(row: number, level: number): number {
    const missing = ((store.flags[row] ?? 0) & AVAILABLE) === 0 ? 1 : 0
    const unsold = MAX_SOLD - Math.min(MAX_SOLD, store.popularity[row] ?? 0)
    const length = Math.min(MAX_NAME_LENGTH, words.lengthOf(row))
    return ((level * 2 + missing) * (MAX_SOLD + 1) + unsold) * (MAX_NAME_LENGTH + 1) + length
  }

  function byMatch(found: Uint32Array, levels: Uint8Array, { offset, size }: IndexPage): Uint32Array {
    const until = Math.min(offset + size, found.length)
    const keys = new Float64Array(store.id.length)
    for (const row of found) keys[row] = matchKey(row, levels[row] ?? 0)
    const compare = (a: number, b: number) => (keys[a] ?? 0) - (keys[b] ?? 0) || byId(a, b)
    if (until > MAX_PICKED) return found.slice().sort(compare).subarray(offset, until)
    const best = new Uint32Array(until)
    let length = 0
    for (const row of found) {
      if (length === until && compare(row, best[length - 1] ?? 0) > 0) continue
      let at = length < until ? length++ : length - 1
      for (; at > 0 && compare(row, best[at - 1] ?? 0) < 0; at--) best[at] = best[at - 1] ?? 0
      best[at] = row
    }
    return best.subarray(offset)
  }

  return {
    byId,
    /** Writes the values of a row, or of a new one at the end, and invalidates the orders in which they move it. */
    write(row: number, values: Record<SortedColumn, number>): void {
      for (const column of SORTED) {
        if (store[column][row] === values[column]) continue
        store[column][row] = values[column]
        cached.delete(column)
      }
    },
    /**
     * @param found rows, ascending
     * @param levels how well each row matches the words: 0 best
     */
    page(found: Uint32Array, page: IndexPage, levels: Uint8Array): Uint32Array {
      const { order } = page
      if (order === 'match') return byMatch(found, levels, page)
      return byOrder(found, typeof order === 'string' ? rowsBy(order) : order, page)
    },
  }
}
