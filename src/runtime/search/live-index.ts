import type { FastifyBaseLogger } from 'fastify'
import type { Db } from '../../../db/database.ts'
import {
  findIndexedProducts,
  findStems,
  type IndexedProductRow,
  listIdsByName,
  listIndexedProducts,
} from '../../../db/queries/catalogue/product-index.ts'
import { mergeAttributes } from '../../rules/catalogue/attributes.ts'
import { wordsOfName } from '../../rules/catalogue/search.ts'
import { minorOf } from '../../rules/money.ts'
import type { Caches } from '../cache/caches.ts'
import type { Change, ChangeKind } from '../changes/changes.ts'
import { createSingleFlight } from '../concurrency/single-flight.ts'
import type { Tasks } from '../concurrency/tasks.ts'
import { createProductIndex, type IndexedProduct, type ProductIndex } from './product-index.ts'

export type LiveIndexDeps = { db: Db; caches: Pick<Caches, 'attach'>; tasks: Tasks; log: FastifyBaseLogger }

/** Changed products; `all`: any may have changed. */
type Stale = Set<number> | 'all'

/** Changes made outside the service, by hand or by restoring a backup, show after this time. */
const LIFETIME_MS = 5 * 60_000
/** While changes of other instances can't be received: loading for each request would overload the database. */
const UNTRUSTED_LIFETIME_MS = 1000
/** Products read in one step, which blocks the event loop for some milliseconds. */
const BATCH_SIZE = 200
/** Changed products are read ahead of requests in a pause between changes: pages of a full load come every few milliseconds. */
const READ_AHEAD = { quietMs: 250, latestMs: 10_000 }
const INDEXED_KINDS: ChangeKind[] = ['product', 'stock', 'demand']

/** The product index of this process, loaded on demand and brought up to date before each answer. */
export function createLiveIndex({ db, caches, tasks, log }: LiveIndexDeps) {
  let index = createProductIndex()
  let stale: Stale = 'all'
  /** Incremented by each full load, because a new index counts its changes from zero. */
  let epoch = 0
  let expiresAt = 0
  /** Whether changes of other instances can be received. */
  let trusted = false
  let started = false
  /** Full loads in progress, with what has changed since they began. */
  const loads = new Set<{ changed: Stale }>()
  const refreshes = createSingleFlight<void>()
  const reloads = createSingleFlight<void>()
  const byName = new WeakMap<ProductIndex, { version: number; rows: Promise<Uint32Array> }>()

  caches.attach({
    invalidate(changes) {
      const indexed = changes.filter(({ kind }) => INDEXED_KINDS.includes(kind))
      for (const { ids } of indexed) markStale(ids)
      if (indexed.length > 0) tasks.debounce('product index', READ_AHEAD, readAhead)
    },
    clear: () => markStale(null),
    setTrusted(value) {
      trusted = value
      markStale(null)
      readAhead()
    },
  })

  function markStale(ids: Change['ids']): void {
    stale = addStale(stale, ids)
    for (const load of loads) load.changed = addStale(load.changed, ids)
  }

  function readAhead(): void {
    if (!started || !trusted || tasks.stopping) return
    tasks.run(refresh).catch((error: unknown) => log.warn({ err: error }, 'product index refresh failed'))
  }

  async function refresh(): Promise<void> {
    if (stale !== 'all' && performance.now() >= expiresAt) {
      if (trusted) reloadInBackground()
      else stale = 'all'
    }
    // A refresh in progress may have read before the caller's change.
    if (refreshes.running || stale === 'all' || stale.size > 0) await refreshes.runNext(update)
  }

  async function update(): Promise<void> {
    if (stale === 'all') return load()
    const [ids, target] = [[...stale], index]
    stale = new Set()
    try {
      for (let at = 0; at < ids.length; at += BATCH_SIZE) {
        const batch = ids.slice(at, at + BATCH_SIZE)
        const rows = await findIndexedProducts(db, batch)
        const present = new Set(rows.map(({ id }) => id))
        target.remove(batch.filter((id) => !present.has(id)))
        await put(target, rows)
      }
    } catch (error) {
      markStale(null)
      throw error
    }
  }

  /** Requests use the current index until the load has finished. */
  function reloadInBackground(): void {
    const reload = () => load().catch((err: unknown) => log.warn({ err }, 'product index reload failed'))
    void reloads.join(reload)
  }

  async function load(): Promise<void> {
    const thisLoad: { changed: Stale } = { changed: new Set() }
    loads.add(thisLoad)
    try {
      const loaded = createProductIndex()
      for (let after: number | undefined = 0; after !== undefined; ) {
        const rows = await listIndexedProducts(db, after, BATCH_SIZE)
        await put(loaded, rows)
        after = rows.length < BATCH_SIZE ? undefined : rows.at(-1)?.id
      }
      index = loaded
      epoch += 1
      stale = thisLoad.changed
      expiresAt = performance.now() + (trusted ? LIFETIME_MS : UNTRUSTED_LIFETIME_MS)
    } finally {
      loads.delete(thisLoad)
    }
  }

  /** Reads the stems of words that are new to both the target and the current index. */
  async function put(target: ProductIndex, rows: IndexedProductRow[]): Promise<void> {
    const { words } = index
    const stemOf = (word: string) => target.words.stemOf(word) ?? words.stemOf(word)
    const unknown = [...new Set(rows.flatMap((row) => wordsOfName(row.search_name)))].filter(
      (word) => stemOf(word) === undefined,
    )
    const stems = unknown.length > 0 ? await findStems(db, unknown) : new Map<string, string>()
    target.put(rows.map(toIndexed), (word) => stemOf(word) ?? stems.get(word) ?? '')
  }

  return {
    /** The index with all changes that were committed before the call. */
    async current(): Promise<ProductIndex> {
      await refresh()
      return index
    },
    /**
     * Changes whenever the availability of a product or the ranking of matches does. It is part of the keys of cached
     * answers that depend on these, so that the pages of a list never overlap.
     */
    async rankVersion(): Promise<string> {
      // Nothing is cached while changes can't be received.
      if (trusted) await refresh()
      return `${epoch}.${index.rankVersion}`
    },
    /** All rows, in the database's order of names. */
    rowsByName(target: ProductIndex): Promise<Uint32Array> {
      const known = byName.get(target)
      if (known?.version === target.namesVersion) return known.rows
      const rows = listIdsByName(db).then((ids) => target.rowsOf(ids))
      byName.set(target, { version: target.namesVersion, rows })
      rows.catch(() => byName.delete(target))
      return rows
    },
    /** From now on reads products ahead of requests: all of them at first, then those that change. */
    start(): void {
      started = true
      readAhead()
    },
  }
}

function addStale(stale: Stale, ids: Change['ids']): Stale {
  if (stale === 'all' || ids === null) return 'all'
  for (const id of ids) stale.add(Number(id))
  return stale
}

function toIndexed(row: IndexedProductRow): IndexedProduct {
  const { id, active, available, stock, sold, attributes } = row
  return {
    id,
    active,
    available,
    stock,
    sold,
    externalId: row.external_id,
    searchName: row.search_name,
    categoryId: row.category_id,
    brandId: row.brand_id,
    price: row.final_price === null ? null : Number(minorOf(row.final_price)),
    createdAt: row.created_at,
    attributes: mergeAttributes(attributes).map(({ name, value }) => [name, value]),
  }
}
