import type { Change } from '../changes/changes.ts'
import { type Cache, type CacheOptions, createCache } from './cache.ts'

/** Another copy of database content that is invalidated together with the caches. */
type Dependent = {
  invalidate(changes: Change[]): void
  clear(): void
  setTrusted(trusted: boolean): void
}

export type Caches = ReturnType<typeof createCaches>

/** The caches of this process. A load in progress when something changes still answers its callers, but isn't cached. */
export function createCaches() {
  const byName = new Map<string, Cache<unknown>>()
  const dependents: Dependent[] = []
  let trusted = false
  const clear = (): void => {
    for (const cache of byName.values()) cache.clear()
    for (const dependent of dependents) dependent.clear()
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
    /** Invalidates the entries that the changes concern. */
    invalidate(changes: Change[]): void {
      for (const dependent of dependents) dependent.invalidate(changes)
      for (const change of changes) for (const cache of byName.values()) cache.invalidate(change)
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
