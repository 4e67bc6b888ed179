/** What is kept of a record: its bytes, which version of it they are, and a flag. */
type RingEntry = { bytes: Buffer; version: number; flag: boolean }

/**
 * Bytes of records in one block of memory, in which the newest take the place of the oldest: nothing of it is left to
 * the garbage collector.
 */
export type ByteRing = {
  /** Replaces what is kept of the record. What is larger than all of the ring is not kept. */
  put(id: number, entry: RingEntry): void
  /** The bytes are a view into the ring: what is put next may overwrite them. */
  get(id: number): RingEntry | undefined
  remove(id: number): void
  clear(): void
  ids(): Iterable<number>
}

/** A record smaller than that takes as much of the room for entries. */
const MIN_RECORD_BYTES = 512

export function createByteRing(capacityBytes: number, lifetimeMs: number): ByteRing {
  const block = Buffer.allocUnsafeSlow(capacityBytes)
  const most = Math.max(1, Math.floor(capacityBytes / MIN_RECORD_BYTES))
  const ids = new Float64Array(most)
  /** Where the bytes begin, counted over all laps. */
  const begins = new Float64Array(most)
  const lengths = new Uint32Array(most)
  const versions = new Float64Array(most)
  const flags = new Uint8Array(most)
  const expires = new Float64Array(most)
  /** By the record, the number of its entry; numbers are counted over all laps, too. */
  const entryOf = new Map<number, number>()
  let oldest = 0
  let next = 0
  let end = 0

  function forgetOldest(): void {
    const id = ids[oldest % most] ?? 0
    if (entryOf.get(id) === oldest) entryOf.delete(id)
    oldest++
  }

  return {
    put(id, { bytes, version, flag }) {
      const { length } = bytes
      entryOf.delete(id)
      if (length > capacityBytes) return
      const left = capacityBytes - (end % capacityBytes)
      const begin = left < length ? end + left : end
      end = begin + length
      while (oldest < next && (next - oldest >= most || (begins[oldest % most] ?? 0) < end - capacityBytes))
        forgetOldest()
      const slot = next % most
      ids[slot] = id
      begins[slot] = begin
      lengths[slot] = length
      versions[slot] = version
      flags[slot] = flag ? 1 : 0
      expires[slot] = performance.now() + lifetimeMs
      bytes.copy(block, begin % capacityBytes)
      entryOf.set(id, next++)
    },
    get(id) {
      const entry = entryOf.get(id)
      if (entry === undefined) return undefined
      const slot = entry % most
      if ((expires[slot] ?? 0) < performance.now()) {
        entryOf.delete(id)
        return undefined
      }
      const begin = (begins[slot] ?? 0) % capacityBytes
      return {
        bytes: block.subarray(begin, begin + (lengths[slot] ?? 0)),
        version: versions[slot] ?? 0,
        flag: flags[slot] === 1,
      }
    },
    remove: (id) => void entryOf.delete(id),
    clear: () => entryOf.clear(),
    ids: () => entryOf.keys(),
  }
}
