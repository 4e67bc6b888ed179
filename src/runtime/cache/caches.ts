import { LRUCache } from 'lru-cache'
import { isRateLimited } from '../../errors.ts'
import type { Change } from '../changes/changes.ts'
import { type CacheName, effectsOf } from '../changes/kinds.ts'

const MAX_ENTRIES = 1000
const TTL_MS = 30_000
const MAX_BYTES = 8 * 1024 * 1024

type Cache<T> = ReturnType<typeof createCache<T>>

type CacheOptions<T> = {
  /** In bytes; by default each entry counts as one. */
  size?: (value: T) => number
  /** Replaces the limits of entries and of bytes. */
  maxBytes?: number
}

/** @param isTrusted false while changes of other instances can't be received: nothing is cached then */
function createCache<T>(options: CacheOptions<T>, isTrusted: () => boolean) {
  /** lru-cache can't store null. */
  type Entry = { value: T }
  const { size, maxBytes } = options
  const counts = { hits: 0, misses: 0, evictions: 0 }
  const loading = new Map<string, Promise<T>>()
  const entries = new LRUCache<string, Entry>({
    ...(maxBytes === undefined && { max: MAX_ENTRIES }),
    ttl: TTL_MS,
    maxSize: maxBytes ?? MAX_BYTES,
    sizeCalculation: ({ value }) => Math.max(1, size?.(value) ?? 1),
    dispose: (_entry, _key, reason) => {
      if (reason === 'evict') counts.evictions += 1
    },
  })
  /** Incremented by each invalidation: what is being loaded then may be stale, and isn't stored. */
  let generation = 0

  async function storeLoaded<R>(loaded: Promise<R>, storeAll: (result: R) => void): Promise<R> {
    const startedIn = isTrusted() ? generation : null
    const result = await loaded
    if (startedIn === generation) storeAll(result)
    return result
  }

  function invalidateLoads(): void {
    generation += 1
    loading.clear()
  }

  function clear(): void {
    invalidateLoads()
    entries.clear()
  }

  return {
    /** Returns the entry, or loads it; concurrent misses share one load. */
    async get(key: string, load: () => Promise<T>): Promise<T> {
      if (!isTrusted()) return load()
      const hit = entries.get(key)
      if (hit) {
        counts.hits += 1
        return hit.value
      }
      counts.misses += 1
      const shared = loading.get(key)
      // A rate limit concerns the client whose request loads, not those who joined it.
      if (shared) return shared.catch((error) => (isRateLimited(error) ? load() : Promise.reject(error)))
      const loaded = storeLoaded(load(), (value) => entries.set(key, { value }))
      loading.set(key, loaded)
      try {
        return await loaded
      } finally {
        if (loading.get(key) === loaded) loading.delete(key)
      }
    },
    /** Returns the entries, and loads the missing ones together; what `load` doesn't return is absent. */
    async getAll(keys: string[], load: (missing: string[]) => Promise<Map<string, T>>) {
      const values = new Map<string, T>()
      const missing: string[] = []
      for (const key of keys) {
        const hit = isTrusted() ? entries.get(key) : undefined
        if (hit) values.set(key, hit.value)
        else missing.push(key)
      }
      counts.hits += values.size
      if (missing.length === 0) return values
      counts.misses += missing.length
      const loaded = await storeLoaded(load(missing), (all) => {
        for (const [key, value] of all) entries.set(key, { value })
      })
      for (const [key, value] of loaded) values.set(key, value)
      return values
    },
    /** Counts since the start; evictions only those for lack of room. `bytes` is null if entries have no size. */
    stats: () => ({ ...counts, bytes: size === undefined ? null : entries.calculatedSize }),
    clear,
    /** @param ids keys of the stale entries; null: all of them */
    invalidate(ids: Change['ids']): void {
      invalidateLoads()
      if (ids === null) entries.clear()
      else for (const id of ids) entries.delete(String(id))
    },
  }
}

/** Another copy of database content that is invalidated together with the caches. */
type Dependent = {
  /** @param ids of what is stale; null: everything */
  invalidate(ids: Change['ids']): void
  clear(): void
  setTrusted(trusted: boolean): void
}

export type Caches = ReturnType<typeof createCaches>

/** The caches of this process. A load in progress when something changes still answers its callers, but isn't cached. */
export function createCaches() {
  const byName = new Map<CacheName, Cache<unknown>>()
  const dependents = new Map<CacheName, Dependent>()
  let trusted = false
  const clear = (): void => {
    for (const cache of byName.values()) cache.clear()
    for (const dependent of dependents.values()) dependent.clear()
  }

  return {
    /** Adds a cache; by default of 1000 entries and 8 MB that live 30 s. */
    create<T>(name: CacheName, options: CacheOptions<T> = {}): Cache<T> {
      const cache = createCache(options, () => trusted)
      byName.set(name, cache)
      return cache
    },
    /** Of each cache by its name. */
    stats: () => new Map([...byName].map(([name, cache]) => [name, cache.stats()])),
    attach: (name: CacheName, dependent: Dependent): void => void dependents.set(name, dependent),
    /** Invalidates the entries that the changes concern. */
    invalidate(changes: Change[]): void {
      for (const { kind, ids } of changes) {
        const { caches = {} } = effectsOf(kind)
        for (const [name, cache] of [...byName, ...dependents]) {
          if (caches[name]) cache.invalidate(caches[name] === 'all' ? null : ids)
        }
      }
    },
    clear,
    /** False while changes of other instances can't be received: nothing is cached then. */
    setTrusted(value: boolean): void {
      trusted = value
      for (const dependent of dependents.values()) dependent.setTrusted(value)
      if (!value) clear()
    },
  }
}
