import { LRUCache } from 'lru-cache'
import { isRateLimited } from '../../errors.ts'
import { settingEffects } from '../../rules/settings/keys.ts'
import type { Change, ChangedId, ChangeKind } from '../changes/changes.ts'

/** Specification, "Limits". */
const MAX_ENTRIES = 1000
const TTL_MS = 30_000
const MAX_BYTES = 8 * 1024 * 1024

export type Cache<T> = ReturnType<typeof createCache<T>>

/** What a cached value shows of products. */
export type Shown = {
  /** A list or a count, which any product may enter or leave. */
  anyProduct: boolean
  /** The products shown, each with the availability shown of it. */
  available: ReadonlyMap<number, boolean>
}

export type CacheOptions<T> = {
  /** Changes that invalidate all entries; of settings only those that affect the catalogue, unless `settings`. */
  staleBy: readonly ChangeKind[]
  settings?: 'all'
  /** Changes that invalidate the entries whose keys are the changed ids. */
  keyedBy?: ChangeKind
  /** When given, a changed product invalidates only the entries that show it. */
  shown?: (value: T) => Shown
  /** In bytes; by default each entry counts as one. */
  size?: (value: T) => number
  /** Replaces the limits of entries and of bytes. */
  maxBytes?: number
}

/** @param isTrusted false while changes of other instances can't be received: nothing is cached then */
export function createCache<T>(options: CacheOptions<T>, isTrusted: () => boolean) {
  /** lru-cache can't store null. */
  type Entry = { value: T }
  const { shown, size, maxBytes } = options
  const counts = { hits: 0, misses: 0, evictions: 0 }
  const loading = new Map<string, Promise<T>>()
  const shownKeys = createShownKeys()
  const entries = new LRUCache<string, Entry>({
    ...(maxBytes === undefined && { max: MAX_ENTRIES }),
    ttl: TTL_MS,
    maxSize: maxBytes ?? MAX_BYTES,
    sizeCalculation: ({ value }) => Math.max(1, size?.(value) ?? 1),
    dispose: ({ value }, key, reason) => {
      if (reason === 'evict') counts.evictions += 1
      if (shown) shownKeys.remove(shown(value), key)
    },
  })
  /** Incremented by each invalidation: what is being loaded then may be stale, and isn't stored. */
  let generation = 0

  function store(key: string, value: T): void {
    entries.set(key, { value })
    // A value beyond the limit of bytes isn't stored.
    if (shown && entries.has(key)) shownKeys.add(shown(value), key)
  }

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

  function evict(keys: Iterable<string>): void {
    for (const key of [...keys]) entries.delete(key)
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
      const loaded = storeLoaded(load(), (value) => store(key, value))
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
        for (const [key, value] of all) store(key, value)
      })
      for (const [key, value] of loaded) values.set(key, value)
      return values
    },
    /** Counts since the start; evictions only those for lack of room. `bytes` is null if entries have no size. */
    stats: () => ({ ...counts, bytes: size === undefined ? null : entries.calculatedSize }),
    clear,
    invalidate(change: Change) {
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
    /** Keeps loads in progress from being stored. */
    invalidateLoads,
    /** Invalidates the entries that show a different availability. */
    invalidateAvailability(ids: number[], current: ReadonlyMap<number, boolean>): void {
      const shownOf = (key: string, id: number) => {
        const entry = entries.peek(key)
        return entry && shown?.(entry.value).available.get(id)
      }
      for (const id of ids) evict([...shownKeys.of(id)].filter((key) => shownOf(key, id) !== current.get(id)))
    },
    /** The products among `ids` that any entry shows. @param ids null: all */
    shownAmong: shownKeys.productsAmong,
  }
}

/** The keys that a change invalidates. */
function staleKeys({ staleBy, settings, keyedBy }: CacheOptions<never>, { kind, ids }: Change) {
  const isRelevant = (id: ChangedId) => settings === 'all' || settingEffects(String(id)).includes('catalogue')
  if (kind === 'setting' && ids && ![...ids].some(isRelevant)) return []
  if (staleBy.includes(kind)) return 'all'
  if (kind !== keyedBy) return []
  return ids === null ? 'all' : [...ids]
}

/** The keys of a cache by what their values show of products. */
function createShownKeys() {
  const byProduct = new Map<number, Set<string>>()
  const anyProduct = new Set<string>()
  return {
    anyProduct,
    of: (id: number): Iterable<string> => byProduct.get(id) ?? [],
    /** The products among `ids` that are shown. @param ids null: all */
    productsAmong(ids: Change['ids']): number[] {
      if (ids === null) return [...byProduct.keys()]
      return [...ids].map(Number).filter((id) => byProduct.has(id))
    },
    add(shown: Shown, key: string): void {
      if (shown.anyProduct) anyProduct.add(key)
      for (const id of shown.available.keys()) {
        const keys = byProduct.get(id)
        if (keys) keys.add(key)
        else byProduct.set(id, new Set([key]))
      }
    },
    remove(shown: Shown, key: string): void {
      anyProduct.delete(key)
      for (const id of shown.available.keys()) {
        const keys = byProduct.get(id)
        keys?.delete(key)
        if (keys?.size === 0) byProduct.delete(id)
      }
    },
  }
}
