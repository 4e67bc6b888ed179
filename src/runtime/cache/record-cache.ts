import { createByteRing } from './byte-ring.ts'
import { type Dependence, type Droppable, staleness } from './invalidation.ts'
import { createLoads } from './loads.ts'

/** A record as JSON, or a product's with the availability that it shows. */
export type CachedRecord = { json: Buffer; version: number; available: boolean }

/** Records as JSON, from which pages are put together. */
export type RecordCache = {
  /**
   * Puts something together of these records, in their order, without those that are gone.
   * @param wanted `version`: another one is read anew
   * @param read gives those that are not held; what it draws on it has to read itself, since changes count from then on
   * @param join must take what it needs before it returns: the bytes are overwritten later
   */
  joinAll<R>(
    wanted: readonly Wanted[],
    read: (ids: number[]) => Promise<Map<number, CachedRecord>>,
    join: (records: ({ id: number } & CachedRecord)[]) => R,
  ): Promise<R>
}

type Wanted = { id: number; version: number }

export type RecordsOptions = Dependence & {
  /** Of JSON that are held, the newest. */
  bytes: number
  /** Whether the JSON shows a product's availability, so that an order may make it stale. */
  showsStock?: boolean
}

/** What is held of one kind of record. @param isTrusted whether changes made by others are heard */
export function createRecordCache(
  { bytes, showsStock = false, ...dependence }: RecordsOptions,
  { isTrusted, lifetimeMs }: { isTrusted: () => boolean; lifetimeMs: number },
): RecordCache & Droppable {
  const ring = createByteRing(bytes, lifetimeMs)
  const reads = createLoads(isTrusted)

  function held({ id, version }: Wanted): CachedRecord | undefined {
    const entry = isTrusted() ? ring.get(id) : undefined
    if (entry?.version !== version) return undefined
    return { json: entry.bytes, version, available: entry.flag }
  }

  function keep(records: Map<number, CachedRecord>): void {
    for (const [id, { json, version, available }] of records)
      ring.put(id, { bytes: json, version, flag: available })
  }

  function clear(): void {
    reads.forget()
    ring.clear()
  }

  function drop(ids: Iterable<number>): void {
    reads.forget()
    for (const id of ids) ring.remove(id)
  }

  return {
    async joinAll(wanted, read, join) {
      /** Undefined: it is gone. */
      const found = new Map<number, CachedRecord | undefined>()
      for (;;) {
        const present: ({ id: number } & CachedRecord)[] = []
        const missing: number[] = []
        for (const one of wanted) {
          const record = found.has(one.id) ? found.get(one.id) : held(one)
          if (record) present.push({ id: one.id, ...record })
          else if (!found.has(one.id)) missing.push(one.id)
        }
        if (missing.length === 0) return join(present)
        // Meanwhile others may be dropped or overwritten.
        const records = await reads.whileUnchanged(read(missing), keep)
        for (const id of missing) found.set(id, records.get(id))
      }
    },
    clear,
    apply(kind, ids) {
      const stale = staleness(dependence, kind, ids)
      if (stale === 'all') clear()
      else if (stale !== 'nothing') drop([...stale].filter((id) => typeof id === 'number'))
    },
    dropByStock() {
      if (showsStock) reads.forget()
    },
    dropFlipped(products, now) {
      if (!showsStock) return
      for (const id of products) if (now === null || ring.get(id)?.flag !== now.get(id)) ring.remove(id)
    },
    showing(ids) {
      if (!showsStock) return []
      const among = ids === null ? [...ring.ids()] : [...ids].filter((id) => typeof id === 'number')
      return among.filter((id) => ring.get(id) !== undefined)
    },
  }
}
