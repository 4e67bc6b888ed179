import { LRUCache } from 'lru-cache'
import { TTL_MS } from './cache.ts'
import { createGeneration, type InvalidatableCache, type Invalidation, staleKeys } from './invalidation.ts'

/** A product as JSON, with the availability that the JSON shows. */
export type CachedRecord = { id: number; json: Buffer; available: boolean }

/** Products as JSON, of which pages of lists are put together. */
export type RecordCache = {
  /** Returns the records in the order of `ids` and reads the missing ones together; deleted ones are left out. */
  getAll(ids: number[], read: (missing: number[]) => Promise<CachedRecord[]>): Promise<CachedRecord[]>
}

export type RecordCacheOptions = Pick<Invalidation, 'staleBy'> & { maxBytes: number }

export function createRecordCache(
  { staleBy, maxBytes }: RecordCacheOptions,
  isTrusted: () => boolean,
): RecordCache & InvalidatableCache {
  const invalidation: Invalidation = { staleBy, keyedBy: 'product' }
  const generation = createGeneration(isTrusted)
  const counts = { hits: 0, misses: 0, evictions: 0 }
  const records = new LRUCache<number, CachedRecord>({
    ttl: TTL_MS,
    maxSize: maxBytes,
    sizeCalculation: ({ json }) => json.byteLength,
    dispose: (_record, _id, reason) => {
      if (reason === 'evict') counts.evictions += 1
    },
  })

  function clear(): void {
    generation.next()
    records.clear()
  }

  return {
    async getAll(ids, read) {
      const found = ids.map((id) => (isTrusted() ? records.get(id) : undefined))
      const missing = ids.filter((_, index) => found[index] === undefined)
      counts.hits += ids.length - missing.length
      counts.misses += missing.length
      if (missing.length === 0) return found.filter((record) => record !== undefined)
      const loaded = await generation.storeIfCurrent(read(missing), (all) => {
        for (const record of all) records.set(record.id, record)
      })
      const byId = new Map(loaded.map((record) => [record.id, record]))
      return ids.flatMap((id, index) => found[index] ?? byId.get(id) ?? [])
    },
    stats: () => ({ ...counts, entries: records.size, bytes: records.calculatedSize }),
    clear,
    invalidate(change) {
      const keys = staleKeys(invalidation, change)
      if (keys === 'all') return clear()
      if (keys.length === 0) return
      generation.next()
      for (const id of keys) records.delete(Number(id))
    },
    invalidateLoads: generation.next,
    invalidateAvailability(ids, current) {
      for (const id of ids) {
        if (current === null || records.peek(id)?.available !== current.get(id)) records.delete(id)
      }
    },
    shownAmong(ids) {
      const all = ids === null ? [...records.keys()] : [...ids].filter((id) => typeof id === 'number')
      return all.filter((id) => records.has(id))
    },
  }
}
