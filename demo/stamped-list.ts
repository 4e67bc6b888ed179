/** A record with the moment of its last change, in epoch milliseconds. */
export interface Stamped {
  readonly id: string
  readonly updatedAt: number
}

/** A row that is sent as it is, however malformed. */
interface RawRow {
  readonly rawJson: string
  readonly updatedAt: number
}

const FILTERS_KEPT = 8

/**
 * Records in the order in which they first appeared. A removed record leaves its slot empty, so that a client in the
 * middle of paging never misses the rows behind it. Records are replaced, never changed in place: whoever caches
 * something derived from one compares identities.
 */
export class StampedList<T extends Stamped> {
  readonly #rows: (T | RawRow | undefined)[] = []
  readonly #stamps: number[] = []
  readonly #slotOf = new Map<string, number>()
  readonly #filters = new Map<number, readonly number[]>()

  get size(): number {
    return this.#slotOf.size
  }

  /** Slots ever used, empty ones included. */
  get slotCount(): number {
    return this.#rows.length
  }

  get(id: string): T | undefined {
    const slot = this.#slotOf.get(id)
    return slot === undefined ? undefined : this.recordAt(slot)
  }

  recordAt(slot: number): T | undefined {
    const row = this.#rows[slot]
    return row === undefined || isRaw(row) ? undefined : row
  }

  rawJsonAt(slot: number): string | undefined {
    const row = this.#rows[slot]
    return row !== undefined && isRaw(row) ? row.rawJson : undefined
  }

  /** Adds the record at the end, or replaces the one with its id where that stands. */
  put(record: T): void {
    const slot = this.#slotOf.get(record.id) ?? this.#rows.length
    this.#slotOf.set(record.id, slot)
    this.#write(slot, record, record.updatedAt)
  }

  addRaw(rawJson: string, updatedAt: number): void {
    this.#write(this.#rows.length, { rawJson, updatedAt }, updatedAt)
  }

  /** Empties the slots of all raw rows. */
  clearRaw(): void {
    for (const [slot, row] of this.#rows.entries()) {
      if (row !== undefined && isRaw(row)) this.#write(slot, undefined, row.updatedAt)
    }
  }

  /** Returns whether there was such a record. */
  remove(id: string): boolean {
    const slot = this.#slotOf.get(id)
    if (slot === undefined) return false
    this.#slotOf.delete(id)
    this.#write(slot, undefined, this.#stamps[slot] ?? 0)
    return true
  }

  *[Symbol.iterator](): Generator<T> {
    for (const row of this.#rows) {
      if (row !== undefined && !isRaw(row)) yield row
    }
  }

  /** Slots changed at or after `since` (epoch ms), in order; computed once until the next change. */
  slotsSince(since: number): readonly number[] {
    const known = this.#filters.get(since)
    if (known !== undefined) return known
    const slots: number[] = []
    for (let slot = 0; slot < this.#stamps.length; slot += 1) {
      if ((this.#stamps[slot] ?? 0) >= since) slots.push(slot)
    }
    if (this.#filters.size >= FILTERS_KEPT) this.#filters.clear()
    this.#filters.set(since, slots)
    return slots
  }

  #write(slot: number, row: T | RawRow | undefined, stamp: number): void {
    this.#rows[slot] = row
    this.#stamps[slot] = stamp
    this.#filters.clear()
  }
}

function isRaw(row: Stamped | RawRow): row is RawRow {
  return 'rawJson' in row
}
