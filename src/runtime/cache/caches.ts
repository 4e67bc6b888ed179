import type { Change } from '../changes/changes.ts'
import { type Cache, type CacheOptions, createCache, LIFETIME_MS } from './cache.ts'
import type { Droppable } from './invalidation.ts'
import { createRecordCache, type RecordCache, type RecordsOptions } from './record-cache.ts'

/** Something else that is made of what the database holds. */
type Kept = {
  hear(changes: Change[]): void
  forget(): void
  setTrusted(trusted: boolean): void
}

export type Caches = {
  /** A cache of 1000 entries that live 30 s (specification, "Limits"), and of 8 MB in ready answers. */
  region<T>(options: CacheOptions<T>): Cache<T>
  /** Records as JSON, for as long as a region holds anything. */
  records(options: RecordsOptions): RecordCache
  /** Goes stale with the regions. */
  join(kept: Kept): void
  /** Drops exactly what the changes make stale; resolves when nothing of it is given out any more. */
  apply(changes: Change[]): Promise<void>
  clear(): void
  /** False while changes made by other instances can't be heard: nothing is kept then. */
  setTrusted(trusted: boolean): void
}

/**
 * Caches of this process. A load that is under way when something changes is answered to those who wait, and not kept.
 * @param readAvailability whether each product can be had now; those that aren't there are absent
 */
export function createCaches(
  readAvailability: (ids: number[]) => Promise<ReadonlyMap<number, boolean>>,
): Caches {
  const regions: Droppable[] = []
  const others: Kept[] = []
  let trusted = false
  const clear = (): void => {
    for (const region of regions) region.clear()
    for (const other of others) other.forget()
  }

  /** An order changes what is shown of a product only when its availability flips: so that is looked at. */
  async function recheckStock(ids: Change['ids']): Promise<void> {
    // Whatever is being read now may be from before the change.
    for (const region of regions) region.dropByStock()
    const shown = new Set(regions.flatMap((region) => region.showing(ids)))
    if (shown.size === 0) return
    const now = await readAvailability([...shown]).catch(() => null)
    for (const region of regions) region.dropFlipped(shown, now)
  }

  return {
    region<T>(options: CacheOptions<T>): Cache<T> {
      const region = createCache(options, () => trusted)
      regions.push(region)
      return region
    },
    records(options) {
      const records = createRecordCache(options, { isTrusted: () => trusted, lifetimeMs: LIFETIME_MS })
      regions.push(records)
      return records
    },
    join: (kept) => void others.push(kept),
    async apply(changes) {
      for (const other of others) other.hear(changes)
      for (const { kind, ids } of changes) for (const region of regions) region.apply(kind, ids)
      const stock = changes.find(({ kind }) => kind === 'stock')
      if (stock) await recheckStock(stock.ids)
    },
    clear,
    setTrusted(value) {
      trusted = value
      for (const other of others) other.setTrusted(value)
      if (!value) clear()
    },
  }
}
