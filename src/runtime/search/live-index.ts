import { setImmediate as nextTurn } from 'node:timers/promises'
import type { FastifyBaseLogger } from 'fastify'
import type { Db } from '../../../db/database.ts'
import type { IndexedProductRow } from '../../../db/queries/catalogue/product-index.ts'
import * as queries from '../../../db/queries/catalogue/product-index.ts'
import { AppError } from '../../errors.ts'
import { wordsOfName } from '../../rules/catalogue/search.ts'
import type { Caches } from '../cache/caches.ts'
import type { Change } from '../changes/changes.ts'
import { createSingleFlight } from '../concurrency/single-flight.ts'
import type { Tasks } from '../concurrency/tasks.ts'
import { createProductIndex, type ProductIndex } from './product-index.ts'

export type LiveIndexDeps = { db: Db; caches: Pick<Caches, 'attach'>; tasks: Tasks; log: FastifyBaseLogger }

/** An index, and the products that changed since it read them; `all`: any may have. */
type Copy = { index: ProductIndex; stale: Set<number> | 'all' }

/** Changes made outside the service, by hand or by restoring a backup, show after this time. */
const LIFETIME_MS = 5 * 60_000
/** While changes of other instances can't be received: loading for each request would overload the database. */
const UNTRUSTED_LIFETIME_MS = 1000
/** A request that waits longer for the index is refused; the index is loaded all the same. */
const MAX_WAIT_MS = 10_000
/** Products read by one statement: a distant database takes 40 ms for each. */
const BATCH_SIZE = 1000
/** Products indexed in one turn of the event loop, which takes a millisecond, or ten if their names are as long as possible. */
const SLICE_SIZE = 20
/** Changed products are read ahead of requests, together, when no more have changed for this time. */
const READ_AHEAD_MS = 500
/** The longest they wait while more change: at full speed a load changes some 3000 a second. */
const MAX_READ_AHEAD_MS = 5000

/** The product index of this process, loaded on demand and brought up to date before each answer. */
export function createLiveIndex({ db, caches, tasks, log }: LiveIndexDeps) {
  let current: Copy = { index: createProductIndex(), stale: 'all' }
  /** The copy that a load in progress reads, to replace the current one. */
  let loading: Copy | undefined
  let expiresAt = 0
  /** Whether changes of other instances can be received. */
  let trusted = false
  let started = false
  const refreshes = createSingleFlight<ProductIndex>()
  const loads = createSingleFlight<ProductIndex>()
  let nextReadAhead: NodeJS.Timeout | undefined
  let readAheadBy: number | undefined
  let namesRanked: { version: number; done: Promise<void> } | undefined

  caches.attach('product_index', {
    invalidate(ids) {
      markStale(ids)
      scheduleReadAhead()
    },
    clear: () => markStale(null),
    setTrusted(value) {
      trusted = value
      markStale(null)
      readAhead()
    },
  })

  function markStale(ids: Change['ids']): void {
    for (const copy of [current, loading]) {
      if (copy === undefined || copy.stale === 'all') continue
      if (ids === null) copy.stale = 'all'
      else for (const id of ids) copy.stale.add(Number(id))
    }
  }

  function scheduleReadAhead(): void {
    const now = performance.now()
    readAheadBy ??= now + MAX_READ_AHEAD_MS
    clearTimeout(nextReadAhead)
    const remainingMs = Math.max(0, readAheadBy - now)
    nextReadAhead = setTimeout(readAhead, Math.min(READ_AHEAD_MS, remainingMs)).unref()
  }

  function readAhead(): void {
    clearTimeout(nextReadAhead)
    readAheadBy = undefined
    if (!started || !trusted || tasks.stopping) return
    tasks
      .run(() => refreshes.runNext(update))
      .catch((error: unknown) => log.warn({ err: error }, 'product index refresh failed'))
  }

  /** Returns the index with all changes that were committed before the call. @throws AppError 503 when that takes too long */
  async function refresh(): Promise<ProductIndex> {
    if (performance.now() >= expiresAt) {
      if (!trusted) current.stale = 'all'
      else if (current.stale !== 'all' && !loads.running) reloadInBackground()
    }
    const { index, stale } = current
    // A refresh in progress may have read before the caller's change.
    return refreshes.running || stale === 'all' || stale.size > 0 ? refuseLate(refreshes.runNext(update)) : index
  }

  async function update(): Promise<ProductIndex> {
    const { index, stale } = current
    // A load in progress may have begun before the change.
    if (stale === 'all') return loads.runNext(load)
    current.stale = new Set()
    try {
      await read(index, [...stale])
      // Not the index that may have replaced it meanwhile, which was read before.
      return index
    } catch (error) {
      markStale(null)
      throw error
    }
  }

  /** Requests use the current index until the load has finished. */
  function reloadInBackground(): void {
    loads.join(load).catch((err: unknown) => log.warn({ err }, 'product index reload failed'))
  }

  async function load(): Promise<ProductIndex> {
    const loaded: Copy = { index: createProductIndex(), stale: new Set() }
    loading = loaded
    try {
      await read(loaded.index, await queries.listProductIds(db))
    } finally {
      loading = undefined
    }
    current = loaded
    expiresAt = performance.now() + (trusted ? LIFETIME_MS : UNTRUSTED_LIFETIME_MS)
    return loaded.index
  }

  /** Reads the products into the target, and removes those that no longer exist. The database reads a batch ahead. */
  async function read(target: ProductIndex, ids: number[]): Promise<void> {
    const find = (from: number) => queries.findIndexedProducts(db, ids.slice(from, from + BATCH_SIZE))
    let ahead: Promise<IndexedProductRow[]> | undefined
    for (let from = 0, to = BATCH_SIZE; from < ids.length; from = to, to += BATCH_SIZE) {
      const rows = await (ahead ?? find(from))
      ahead = to < ids.length ? find(to) : undefined
      // Handled at once: it is awaited only after this batch has been indexed.
      ahead?.catch(() => {})
      await index(target, ids.slice(from, to), rows)
    }
  }

  async function index(target: ProductIndex, batch: number[], rows: IndexedProductRow[]): Promise<void> {
    const present = new Set(rows.map(({ id }) => id))
    target.remove(batch.filter((id) => !present.has(id)))
    const { words } = current.index
    const stemOf = (word: string) => target.words.stemOf(word) ?? words.stemOf(word)
    const slices: IndexedProductRow[][] = []
    for (let from = 0; from < rows.length; from += SLICE_SIZE) slices.push(rows.slice(from, from + SLICE_SIZE))
    const unknown = new Set<string>()
    for (const slice of slices) {
      const distinct = new Set(slice.flatMap(({ name }) => wordsOfName(name)))
      for (const word of distinct) if (stemOf(word) === undefined) unknown.add(word)
      await nextTurn()
    }
    const stems = await queries.findStems(db, [...unknown])
    for (const slice of slices) {
      target.put(slice, (word) => stemOf(word) ?? stems.get(word) ?? '')
      await nextTurn()
    }
  }

  return {
    current: refresh,
    /**
     * Changes whenever the availability of a product or the ranking of matches does. It is part of the keys of cached
     * answers that depend on these, so that the pages of a list never overlap.
     */
    async rankVersion(): Promise<number> {
      // Nothing is cached while changes can't be received.
      return (trusted ? await refresh() : current.index).rankVersion
    },
    /** Ranks the products by name as the database does, unless no name has changed since. */
    rankNames(target: ProductIndex): Promise<void> {
      if (namesRanked?.version === target.namesVersion) return namesRanked.done
      const done = queries.listIdsByName(db).then(target.rankNames)
      namesRanked = { version: target.namesVersion, done }
      done.catch(() => {
        namesRanked = undefined
      })
      return done
    },
    /** From now on reads products ahead of requests: all of them at first, then those that change. */
    start(): void {
      started = true
      readAhead()
    },
  }
}

function refuseLate<T>(refreshed: Promise<T>): Promise<T> {
  const { promise: late, reject } = Promise.withResolvers<never>()
  const refuse = () => reject(new AppError(503, 'UNAVAILABLE', 'The list of products is being loaded; please retry'))
  const timer = setTimeout(refuse, MAX_WAIT_MS)
  return Promise.race([refreshed, late]).finally(() => clearTimeout(timer))
}
