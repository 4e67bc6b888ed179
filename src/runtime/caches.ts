import { LRUCache } from 'lru-cache'

/** What a change can make stale. Writers name it, see transaction.ts. */
export const CACHE_TOPICS = ['config', 'catalogue', 'feed'] as const
export type CacheTopic = (typeof CACHE_TOPICS)[number]

/** What a region of ready answers may hold, so that a thousand large pages don't fill the memory. */
const MOST_BYTES = 64 * 1024 * 1024

export type CacheRegion<T> = {
  /** The value held for `key`, or what `load` gives; callers that come meanwhile share one load. */
  get(key: string, load: () => Promise<T>): Promise<T>
}

export type Caches = {
  /** A cache of 1000 entries that live 30 s (specification, "Limits"), and of 64 MB in ready answers. */
  region<T>(topic: CacheTopic): CacheRegion<T>
  /** Drops what the topic holds; loads under way are answered to those who wait, and not kept. */
  clear(topic: CacheTopic): void
  /** False while changes made by other instances can't be heard: nothing is kept then. */
  setTrusted(trusted: boolean): void
}

/** Caches of this process. Promises are kept, not values: a load that began before a change is forgotten with it. */
export function createCaches(): Caches {
  const stores: { topic: CacheTopic; clear(): void }[] = []
  let trusted = false
  const clear = (topic: CacheTopic): void => {
    for (const store of stores) if (store.topic === topic) store.clear()
  }
  return {
    clear,
    region<T>(topic: CacheTopic): CacheRegion<T> {
      const store = new LRUCache<string, Promise<T>>({ max: 1000, ttl: 30_000, maxSize: MOST_BYTES })
      stores.push({ topic, clear: () => store.clear() })
      return {
        get(key, load) {
          const held = store.get(key)
          if (held) return held
          const loading = load()
          if (!trusted) return loading
          store.set(key, loading, { size: 1 })
          loading.then(
            (value) => {
              // Only now is it known how large the answer is.
              if (!Buffer.isBuffer(value) || store.peek(key) !== loading) return
              store.delete(key)
              store.set(key, loading, { size: Math.max(1, value.byteLength) })
            },
            () => {
              if (store.peek(key) === loading) store.delete(key)
            },
          )
          return loading
        },
      }
    },
    setTrusted(value) {
      trusted = value
      if (!value) for (const topic of CACHE_TOPICS) clear(topic)
    },
  }
}
