import type { Change } from '../changes/changes.ts'
import { type Cache, type CacheOptions, createCache } from './cache.ts'

/** Another copy of database content that is invalidated together with the caches. */
type Dependent = {
  invalidate(changes: Change[]): void
  clear(): void
  setTrusted(trusted: boolean): void
}

export type Caches = ReturnType<typeof createCaches>

/**
 * The caches of this process. A load in progress when something changes still answers its callers, but isn't cached.
 * @param readAvailability the current availability of products; deleted ones are absent
 */
export function createCaches(readAvailability: (ids: number[]) => Promise<ReadonlyMap<number, boolean>>) {
  const byName = new Map<string, Cache<unknown>>()
  const dependents: Dependent[] = []
  let trusted = false
  const clear = (): void => {
    for (const cache of byName.values()) cache.clear()
    for (const dependent of dependents) dependent.clear()
  }

  /** An order rarely changes what is shown of a product, only when its availability flips. */
  async function invalidateStock(ids: Change['ids']): Promise<void> {
    for (const cache of byName.values()) cache.invalidateLoads()
    const shown = [...new Set([...byName.values()].flatMap((cache) => cache.shownAmong(ids)))]
    if (shown.length === 0) return
    // Unknown availability differs from any.
    const current = await readAvailability(shown).catch(() => new Map())
    for (const cache of byName.values()) cache.invalidateAvailability(shown, current)
  }

  return {
    /** Adds a cache; by default of 1000 entries and 8 MB that live 30 s (specification, "Limits"). */
    create<T>(name: string, options: CacheOptions<T>): Cache<T> {
      const cache = createCache(options, () => trusted)
      byName.set(name, cache)
      return cache
    },
    /** Of each cache by its name. */
    stats: () => new Map([...byName].map(([name, cache]) => [name, cache.stats()])),
    attach: (dependent: Dependent): void => void dependents.push(dependent),
    /** Invalidates exactly the entries that the changes concern; resolves when no stale one can be returned. */
    async invalidate(changes: Change[]): Promise<void> {
      for (const dependent of dependents) dependent.invalidate(changes)
      for (const change of changes) for (const cache of byName.values()) cache.invalidate(change)
      const stock = changes.find(({ kind }) => kind === 'stock')
      if (stock) await invalidateStock(stock.ids)
    },
    clear,
    /** False while changes of other instances can't be received: nothing is cached then. */
    setTrusted(value: boolean): void {
      trusted = value
      for (const dependent of dependents) dependent.setTrusted(value)
      if (!value) clear()
    },
  }
}
