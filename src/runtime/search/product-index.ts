import type { Change } from '../changes/changes.ts'
import { createProductColumns, type ProductColumns } from './product-columns.ts'

/** What is stale: these products, or all of them. */
type Stale = Set<number> | 'all'

/** What was written past the service, by hand or by a restored backup, shows after so long. */
const LIFETIME_MS = 5 * 60_000

/**
 * Every product in the memory of the process, for lists, searches and facets. It notes what changes; whoever asks
 * brings it up to date first (services/catalogue/product-index.ts).
 */
export type ProductIndex = {
  /** As they were when they were brought up to date last. */
  readonly columns: ProductColumns
  /** Whether not all of them are to be read to bring them up to date. */
  readonly ready: boolean
  /** Whether what others change is heard. */
  readonly trusted: boolean
  /** How many products are known to be stale; all of them count as infinitely many. */
  readonly staleCount: number
  /** Whether all should be read again, though nothing is known to have changed. */
  readonly expired: boolean
  /** Notes what a change makes stale. */
  hear(changes: Change[]): void
  /** What is stale since the last call. */
  takeStale(): Stale
  /** Everything is stale: what was taken could not be read. */
  forget(): void
  /** Puts all products in place, read anew; what changes meanwhile is stale then. */
  replace(read: () => Promise<ProductColumns>): Promise<void>
  /** The same for some of them, which `read` says how to put in place. */
  renew(read: () => Promise<(columns: ProductColumns) => void>): Promise<void>
  /** All have been renewed. */
  renewed(): void
  /** While what others change is not heard, everything is stale each time. */
  setTrusted(trusted: boolean): void
}

export function createProductIndex(): ProductIndex {
  let columns = createProductColumns()
  let completeUntil = 0
  const state: { stale: Stale } = { stale: 'all' }
  /** What changes while all products are read anew. */
  const rereadings = new Set<{ stale: Stale }>()
  let trusted = false

  function note(ids: Change['ids']): void {
    for (const place of [state, ...rereadings]) {
      if (ids === null) place.stale = 'all'
      if (place.stale === 'all') continue
      for (const id of ids ?? []) place.stale.add(Number(id))
    }
  }

  return {
    get columns() {
      return columns
    },
    get ready() {
      return trusted && state.stale !== 'all'
    },
    get trusted() {
      return trusted
    },
    get staleCount() {
      return state.stale === 'all' ? Number.POSITIVE_INFINITY : state.stale.size
    },
    get expired() {
      return state.stale !== 'all' && performance.now() >= completeUntil
    },
    hear(changes) {
      for (const { kind, ids } of changes) {
        if (kind !== 'product' && kind !== 'stock' && kind !== 'demand') continue
        note(ids)
      }
    },
    takeStale() {
      const taken = state.stale
      if (trusted && taken !== 'all') state.stale = new Set()
      return taken
    },
    forget: () => note(null),
    async replace(read) {
      const reading: { stale: Stale } = { stale: new Set() }
      rereadings.add(reading)
      try {
        columns = await read()
        state.stale = trusted ? reading.stale : 'all'
        completeUntil = performance.now() + LIFETIME_MS
      } finally {
        rereadings.delete(reading)
      }
    },
    async renew(read) {
      const reading: { stale: Stale } = { stale: new Set() }
      rereadings.add(reading)
      try {
        const put = await read()
        put(columns)
        if (reading.stale === 'all') state.stale = 'all'
        else if (state.stale !== 'all') for (const id of reading.stale) state.stale.add(id)
      } finally {
        rereadings.delete(reading)
      }
    },
    renewed() {
      completeUntil = performance.now() + LIFETIME_MS
    },
    setTrusted(value) {
      trusted = value
      note(null)
    },
  }
}
