import { LRUCache } from 'lru-cache'
import type { Change } from '../changes/changes.ts'
import { type Dependence, type Droppable, staleness } from './invalidation.ts'
import { createLoads } from './loads.ts'

/** Specification, "Limits". */
const MAX_ENTRIES = 1000
export const LIFETIME_MS = 30_000
/** What a region of ready answers may hold, so that a thousand large pages don't fill the memory. */
const MAX_BYTES = 8 * 1024 * 1024
/** Longer than what is held lives: what is popular is held again at the first request after that. */
const ASKED_MS = 2 * LIFETIME_MS
const MAX_TRACKED_KEYS = 4 * MAX_ENTRIES

export type Cache<T> = {
  /** The value held for `key`, or what `load` gives; callers that come meanwhile share one load. */
  get(key: string, load: () => Promise<T>): Promise<T>
  /** The values held for these keys, and beside them what `load` gives for those that are not. */
  getAll(keys: string[], load: (missing: string[]) => Promise<Map<string, T>>): Promise<Map<string, T>>
}

/** What a value shows of products. */
export type Shown = {
  /** A list or a count, which any product may enter or leave. */
  anyProduct: boolean
  /** Narrowed by what can be had, so that any order may change it. */
  anyStock?: boolean
  /** The products shown, each with the availability that is shown of it. */
  available: ReadonlyMap<number, boolean>
}

export type CacheOptions<T> = Dependence & {
  /** For a region of which a change of products makes only those values stale that show them. */
  shown?: (value: T) => Shown
  /** Bytes; a value counts as one unless told. */
  size?: (value: T) => number
  /** The value as it is held, when that is not as it came. */
  keep?: (value: T) => T
  /** Holds only what is asked for again within a minute: what one visitor or a crawler sees pushes out nothing popular. */
  onlyPopular?: boolean
}

/** @param isTrusted whether changes made by others are heard */
export function createCache<T>(
  { shown, size = () => 1, keep = (value) => value, onlyPopular = false, ...dependence }: CacheOptions<T>,
  isTrusted: () => boolean,
): Cache<T> & Droppable {
  type Entry = { value: T; shown: Shown | undefined }
  const reads = createLoads(isTrusted)
  const underWay = new Map<string, Promise<T>>()
  const shownBy = createShownBy()
  const store = new LRUCache<string, Entry>({
    max: MAX_ENTRIES,
    ttl: LIFETIME_MS,
    maxSize: MAX_BYTES,
    sizeCalculation: ({ value }) => Math.max(1, size(value)),
    dispose: (entry, key) => entry.shown && shownBy.remove(entry.shown, key),
  })
  /** How often what was not held was asked for lately. */
  const asked = onlyPopular ? new LRUCache<string, number>({ max: MAX_TRACKED_KEYS, ttl: ASKED_MS }) : null

  function noteAsked(key: string): void {
    asked?.set(key, (asked.get(key) ?? 0) + 1)
  }

  function hold(key: string, value: T): void {
    if (asked !== null && (asked.get(key) ?? 0) < 2) return
    const entry = { value: keep(value), shown: shown?.(value) }
    store.set(key, entry)
    if (entry.shown && store.peek(key) === entry) shownBy.add(entry.shown, key)
  }

  function forgetReads(): void {
    reads.forget()
    underWay.clear()
  }

  function clear(): void {
    forgetReads()
    store.clear()
  }

  function drop(keys: Iterable<string>): void {
    for (const key of [...keys]) store.delete(key)
  }

  return {
    async get(key, load) {
      if (!isTrusted()) return load()
      const held = store.get(key)
      if (held) return held.value
      noteAsked(key)
      const shared = underWay.get(key)
      if (shared) return shared
      const reading = reads.whileUnchanged(load(), (value) => hold(key, value))
      underWay.set(key, reading)
      try {
        return await reading
      } finally {
        if (underWay.get(key) === reading) underWay.delete(key)
      }
    },
    async getAll(keys, load) {
      const values = new Map<string, T>()
      for (const key of isTrusted() ? keys : []) {
        const held = store.get(key)
        if (held) values.set(key, held.value)
      }
      const missing = keys.filter((key) => !values.has(key))
      if (missing.length === 0) return values
      for (const key of missing) noteAsked(key)
      const loaded = await reads.whileUnchanged(load(missing), (some) => {
        for (const [key, value] of some) hold(key, value)
      })
      for (const [key, value] of loaded) values.set(key, value)
      return values
    },
    clear,
    apply(kind, ids) {
      const stale = staleness(dependence, kind, ids)
      if (stale === 'all') clear()
      else if (stale !== 'nothing') {
        forgetReads()
        for (const id of stale) store.delete(String(id))
      } else if (kind === 'product' && shown) {
        forgetReads()
        drop(shownBy.anyProduct)
        for (const id of shownBy.among(ids)) drop(shownBy.keysOf(id))
      }
    },
    dropByStock() {
      forgetReads()
      drop(shownBy.anyStock)
    },
    dropFlipped(products, now) {
      for (const id of products) {
        const available = now?.get(id)
        const shows = (key: string) => store.peek(key)?.shown?.available.get(id)
        drop([...shownBy.keysOf(id)].filter((key) => now === null || shows(key) !== available))
      }
    },
    showing: shownBy.among,
  }
}

/** The keys of what is kept, by what it shows of products. */
function createShownBy() {
  const byProduct = new Map<number, Set<string>>()
  const anyProduct = new Set<string>()
  const anyStock = new Set<string>()
  return {
    anyProduct,
    anyStock,
    keysOf: (id: number): Iterable<string> => byProduct.get(id) ?? [],
    /** Those of these products that are shown; by way of the fewer. @param ids null: any */
    among(ids: Change['ids']): number[] {
      if (ids === null) return [...byProduct.keys()]
      if (ids.size > byProduct.size) return [...byProduct.keys()].filter((id) => ids.has(id))
      return [...ids].filter((id) => typeof id === 'number').filter((id) => byProduct.has(id))
    },
    add(shown: Shown, key: string): void {
      if (shown.anyProduct) anyProduct.add(key)
      if (shown.anyStock) anyStock.add(key)
      for (const id of shown.available.keys()) {
        const keys = byProduct.get(id)
        if (keys) keys.add(key)
        else byProduct.set(id, new Set([key]))
      }
    },
    remove(shown: Shown, key: string): void {
      anyProduct.delete(key)
      anyStock.delete(key)
      for (const id of shown.available.keys()) {
        const keys = byProduct.get(id)
        keys?.delete(key)
        if (keys?.size === 0) byProduct.delete(id)
      }
    },
  }
}
