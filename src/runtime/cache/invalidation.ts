import { settingEffects } from '../../rules/settings/keys.ts'
import type { Change, ChangedId, ChangeKind } from '../changes/changes.ts'

/** Which changes invalidate the entries of a cache. */
export type Invalidation = {
  /** Changes that invalidate all entries; of settings only those that affect the catalogue, unless `settings`. */
  staleBy: readonly ChangeKind[]
  settings?: 'all'
  /** Changes that invalidate the entries whose keys are the changed ids. */
  keyedBy?: ChangeKind
}

/** The keys that a change invalidates. */
export function staleKeys(
  { staleBy, settings, keyedBy }: Invalidation,
  { kind, ids }: Change,
): 'all' | ChangedId[] {
  const isRelevant = (id: ChangedId) => settings === 'all' || settingEffects(String(id)).includes('catalogue')
  if (kind === 'setting' && ids && ![...ids].some(isRelevant)) return []
  if (staleBy.includes(kind)) return 'all'
  if (kind !== keyedBy) return []
  return ids === null ? 'all' : [...ids]
}

/** What a cached value shows of products. */
export type Shown = {
  /** A list or a count, which any product may enter or leave. */
  anyProduct: boolean
  /** The products shown, each with the availability shown of it. */
  available: ReadonlyMap<number, boolean>
}

/** The keys of a cache by what their values show of products. */
export function createShownKeys() {
  const byProduct = new Map<number, Set<string>>()
  const anyProduct = new Set<string>()
  return {
    anyProduct,
    of: (id: number): Iterable<string> => byProduct.get(id) ?? [],
    /** The products among `ids` that are shown. @param ids null: all */
    productsAmong(ids: Change['ids']): number[] {
      if (ids === null) return [...byProduct.keys()]
      if (ids.size > byProduct.size) return [...byProduct.keys()].filter((id) => ids.has(id))
      return [...ids].filter((id) => typeof id === 'number').filter((id) => byProduct.has(id))
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
