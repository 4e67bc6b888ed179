import { LRUCache } from 'lru-cache'
import { settingEffects } from '../rules/settings/keys.ts'
import type { Change, ChangedId, ChangeKind } from './changes.ts'

/** Specification, "Limits". */
const MOST_ENTRIES = 1000
const LIFETIME_MS = 30_000
/** What a region of ready answers may hold, so that a thousand large pages don't fill the memory. */
const MOST_BYTES = 64 * 1024 * 1024
/** Longer than what is held lives: what is popular is held again at the first request after that. */
const ASKED_MS = 2 * LIFETIME_MS
const MOST_ASKED = 4 * MOST_ENTRIES

export type CacheRegion<T> = {
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

type RegionOptions<T> = {
  /** Changes that make all of the region stale; of settings only those that the catalogue shows, unless `settings`. */
  staleBy: readonly ChangeKind[]
  settings?: 'all'
  /** Changes that make only those values stale whose key is the id of what was changed. */
  keyedBy?: ChangeKind
  /** For a region of which a change of products makes only those values stale that show them. */
  shown?: (value: T) => Shown
  /** Bytes; a value counts as one unless told. */
  size?: (value: T) => number
  /** The value as it is held, when that is not as it came. */
  keep?: (value: T) => T
  /** Holds only what is asked for again within a minute: what one visitor or a crawler sees pushes out nothing popular. */
  onlyPopular?: boolean
}

/** Something else that is made of what the database holds. */
type Kept = {
  hear(changes: Change[]): void
  forget(): void
  setTrusted(trusted: boolean): void
}

export type Caches = {
  /** A cache of 1000 entries that live 30 s (specification, "Limits"), and of 64 MB in ready answers. */
  region<T>(options: RegionOptions<T>): CacheRegion<T>
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
  const regions: Region[] = []
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
    region<T>(options: RegionOptions<T>): CacheRegion<T> {
      const region = createRegion(options, () => trusted)
      regions.push(region)
      return region
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

type Region = {
  clear(): void
  apply(kind: ChangeKind, ids: Change['ids']): void
  /** Drops what any order may change, and what is being read now. */
  dropByStock(): void
  /** Drops what shows another availability of these products than they have. @param now null: it could not be read */
  dropFlipped(ids: ReadonlySet<number>, now: ReadonlyMap<number, boolean> | null): void
  /** Which of these products any value shows. @param ids null: any */
  showing(ids: Change['ids']): number[]
}

function createRegion<T>(
  {
    staleBy,
    settings,
    keyedBy,
    shown,
    size = () => 1,
    keep = (value) => value,
    onlyPopular = false,
  }: RegionOptions<T>,
  isTrusted: () => boolean,
): CacheRegion<T> & Region {
  type Entry = { value: T; shown: Shown | undefined }
  /** What is being read, and whether it may be kept. */
  const reads = new Set<{ kept: boolean }>()
  const underWay = new Map<string, Promise<T>>()
  const shownBy = createShownBy()
  const store = new LRUCache<string, Entry>({
    max: MOST_ENTRIES,
    ttl: LIFETIME_MS,
    maxSize: MOST_BYTES,
    sizeCalculation: ({ value }) => Math.max(1, size(value)),
    dispose: (entry, key) => entry.shown && shownBy.remove(entry.shown, key),
  })
  /** How often what was not held was asked for lately. */
  const asked = new LRUCache<string, number>({ max: MOST_ASKED, ttl: ASKED_MS })

  function noteAsked(key: string): void {
    if (onlyPopular) asked.set(key, (asked.get(key) ?? 0) + 1)
  }

  function hold(key: string, value: T): void {
    if (onlyPopular && (asked.get(key) ?? 0) < 2) return
    const entry = { value: keep(value), shown: shown?.(value) }
    store.set(key, entry)
    if (entry.shown && store.peek(key) === entry) shownBy.add(entry.shown, key)
  }

  /** What began before a change is given to those who wait for it, and not kept. */
  async function whileUnchanged<R>(read: Promise<R>, use: (result: R) => void): Promise<R> {
    const reading = { kept: isTrusted() }
    reads.add(reading)
    try {
      const result = await read
      if (reading.kept) use(result)
      return result
    } finally {
      reads.delete(reading)
    }
  }

  function forgetReads(): void {
    for (const reading of reads) reading.kept = false
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
      const reading = whileUnchanged(load(), (value) => hold(key, value))
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
      const loaded = await whileUnchanged(load(missing), (some) => {
        for (const [key, value] of some) hold(key, value)
      })
      for (const [key, value] of loaded) values.set(key, value)
      return values
    },
    clear,
    apply(kind, ids) {
      const names = (id: ChangedId) => settings === 'all' || settingEffects(String(id)).includes('catalogue')
      if (kind === 'setting' && ids && ![...ids].some(names)) return
      if (staleBy.includes(kind) || (kind === keyedBy && ids === null)) clear()
      else if (kind === keyedBy) {
        forgetReads()
        for (const id of ids ?? []) store.delete(String(id))
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
