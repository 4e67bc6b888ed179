import type { Change } from './changes.ts'
import { createProductColumns, type ProductColumns } from './product-columns.ts'

/** What is stale: these products, or all of them. */
type Stale = Set<number> | 'all'

/** With more that changed it is quicker to read all. */
const MOST_STALE = 5000
/** What was written past the service, by hand or by a restored backup, shows after so long. */
const LIFETIME_MS = 5 * 60_000

/**
 * Every product in the memory of the process, for lists and facets. It notes what changes; whoever asks brings it up
 * to date first (services/catalogue/product-index.ts).
 */
export type ProductIndex = {
  /** As they were when they were brought up to date last. */
  readonly columns: ProductColumns
  /** Whether little or nothing is to be read to bring them up to date. */
  readonly ready: boolean
  /** Notes what a change makes stale. */
  hear(changes: Change[]): void
  /** What is stale since the last call. */
  takeStale(): Stale
  /** Everything is stale: what was taken could not be read. */
  forget(): void
  /** All products anew. */
  replace(columns: ProductColumns): void
  /** While what others change is not heard, everything is stale each time. */
  setTrusted(trusted: boolean): void
}

export function createProductIndex(): ProductIndex {
  let columns = createProductColumns()
  let completeUntil = 0
  let stale: Stale = 'all'
  let trusted = false
  const isCurrent = () => stale !== 'all' && performance.now() < completeUntil

  return {
    get columns() {
      return columns
    },
    get ready() {
      return trusted && isCurrent()
    },
    hear(changes) {
      for (const { kind, ids } of changes) {
        if (kind !== 'product' && kind !== 'stock') continue
        if (ids === null) stale = 'all'
        if (stale === 'all') continue
        for (const id of ids ?? []) stale.add(Number(id))
        if (stale.size > MOST_STALE) stale = 'all'
      }
    },
    takeStale() {
      const taken = isCurrent() ? stale : 'all'
      if (taken === 'all') completeUntil = 0
      if (trusted) stale = new Set()
      return taken
    },
    forget() {
      stale = 'all'
    },
    replace(whole) {
      columns = whole
      completeUntil = performance.now() + LIFETIME_MS
    },
    setTrusted(value) {
      trusted = value
      stale = 'all'
    },
  }
}
