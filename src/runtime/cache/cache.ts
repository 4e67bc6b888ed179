import { LRUCache } from 'lru-cache'
import { isRateLimited } from '../../errors.ts'
import {
  createGeneration,
  createShownKeys,
  type InvalidatableCache,
  type Invalidation,
  type Shown,
  staleKeys,
} from './invalidation.ts'

/** Specification, "Limits". */
const MAX_ENTRIES = 1000
export const TTL_MS = 30_000
const MAX_BYTES = 8 * 1024 * 1024
/** Longer than entries live, so that the first miss of a popular key caches it again. */
const POPULARITY_TTL_MS = 2 * TTL_MS
const MAX_COUNTED_KEYS = 4 * MAX_ENTRIES

export type Cache<T> = {
  /** Returns the entry, or loads it; concurrent misses share one load. */
  get(key: string, load: () => Promise<T>): Promise<T>
  has(key: string): boolean
  /** Returns the entries, and loads the missing ones together; what `load` doesn't return is absent. */
  getAll(keys: string[], load: (missing: string[]) => Promise<Map<string, T>>): Promise<Map<string, T>>
  /** Measures an entry again, if it still is this value, whose size has changed. */
  measure(key: string, value: T): void
}

export type CacheOptions<T> = Invalidation & {
  /** When given, a changed product invalidates only the entries that show it. */
  shown?: (value: T) => Shown
  /** Bytes; default: each entry counts as one. */
  size?: (value: T) => number
  /** Caches only keys with two misses within a minute, so that a crawler doesn't evict what is popular. */
  onlyPopular?: boolean
}

/** @param isTrusted false while changes of other instances can't be received: nothing is cached then */
export function createCache<T>(
  options: CacheOptions<T>,
  isTrusted: () => boolean,
): Cache<T> & InvalidatableCache {
  type Entry = { value: T; shown: Shown | undefined }
  const { shown, size, onlyPopular = false } = options
  const counts = { hits: 0, misses: 0, evictions: 0 }
  const loading = new Map<string, Promise<T>>()
  const shownKeys = createShownKeys()
  const entries = new LRUCache<string, Entry>({
    max: MAX_ENTRIES,
    ttl: TTL_MS,
    maxSize: MAX_BYTES,
    sizeCalculation: ({ value }) => Math.max(1, size?.(value) ?? 1),
    dispose: (entry, key, reason) => {
      if (reason === 'evict') counts.evictions += 1
      if (entry.shown) shownKeys.remove(entry.shown, key)
    },
  })
  const misses = onlyPopular
    ? new LRUCache<string, number>({ max: MAX_COUNTED_KEYS, ttl: POPULARITY_TTL_MS })
    : null
  const generation = createGeneration(isTrusted)

  function countMiss(key: string): void {
    counts.misses += 1
    misses?.set(key, (misses.get(key) ?? 0) + 1)
  }

  function store(key: string, value: T): void {
    if (misses !== null && (misses.get(key) ?? 0) < 2) return
    const entry = { value, shown: shown?.(value) }
    entries.set(key, entry)
    // Too large a value isn't stored.
    if (entry.shown && entries.peek(key) === entry) shownKeys.add(entry.shown, key)
  }

  function invalidateLoads(): void {
    generation.next()
    loading.clear()
  }

  function clear(): void {
    invalidateLoads()
    entries.clear()
  }

  function evict(keys: Iterable<string>): void {
    for (const key of [...keys]) entries.delete(key)
  }

  return {
    async get(key, load) {
      if (!isTrusted()) return load()
      const hit = entries.get(key)
      if (hit) {
        counts.hits += 1
        return hit.value
      }
      countMiss(key)
      const shared = loading.get(key)
      // A refusal concerns the client whose request loads, not those who joined it.
      if (shared) return shared.catch((error) => (isRateLimited(error) ? load() : Promise.reject(error)))
      const loaded = generation.storeIfCurrent(load(), (value) => store(key, value))
      loading.set(key, loaded)
      try {
        return await loaded
      } finally {
        if (loading.get(key) === loaded) loading.delete(key)
      }
    },
    has: (key) => isTrusted() && entries.has(key),
    async getAll(keys, load) {
      const values = new Map<string, T>()
      const missing: string[] = []
      for (const key of keys) {
        const hit = isTrusted() ? entries.get(key) : undefined
        if (hit) values.set(key, hit.value)
        else missing.push(key)
      }
      counts.hits += values.size
      if (missing.length === 0) return values
      for (const key of missing) countMiss(key)
      const loaded = await generation.storeIfCurrent(load(missing), (all) => {
        for (const [key, value] of all) store(key, value)
      })
      for (const [key, value] of loaded) values.set(key, value)
      return values
    },
    measure(key, value) {
      const entry = entries.peek(key)
      if (entry?.value !== value) return
      // lru-cache measures only new objects.
      entries.set(key, { ...entry }, { noUpdateTTL: true, noDisposeOnSet: true })
    },
    stats: () => ({
      ...counts,
      entries: entries.size,
      bytes: size === undefined ? null : entries.calculatedSize,
    }),
    clear,
    invalidate(change) {
      const keys = staleKeys(options, change)
      if (keys === 'all') return clear()
      const isProduct = change.kind === 'product' && shown !== undefined
      if (keys.length === 0 && !isProduct) return
      invalidateLoads()
      evict(keys.map(String))
      if (!isProduct) return
      evict(shownKeys.anyProduct)
      for (const id of shownKeys.productsAmong(change.ids)) evict(shownKeys.of(id))
    },
    invalidateLoads,
    invalidateAvailability(ids, current) {
      for (const id of ids) {
        const available = current?.get(id)
        const isStale = (key: string) =>
          current === null || entries.peek(key)?.shown?.available.get(id) !== available
        evict([...shownKeys.of(id)].filter(isStale))
      }
    },
    shownAmong: shownKeys.productsAmong,
  }
}
