/** A record with the time of its last change, in epoch milliseconds. */
export interface Stamped {
  readonly id: string
  readonly updatedAt: number
}

/** A row sent verbatim, valid or not. */
interface RawRow {
  readonly rawJson: string
  readonly updatedAt: number
}

/**
 * Records in insertion order. A removed record leaves an empty slot, so that a client that is paging never misses a row.
 * Records are replaced, never mutated, so that caches of derived data can compare identities.
 */
export class StampedList<T extends Stamped> {
  readonly #rows: (T | RawRow | undefined)[] = []
  readonly #stamps: number[] = []
  readonly #slotOf = new Map<string, number>()

  get size(): number {
    return this.#slotOf.size
  }

  /** Number of slots, including empty ones. */
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

  /** Appends the record, or replaces the one with its id. */
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

  /** @returns whether the record existed */
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

  /** Slots changed at or after `since` (epoch milliseconds), in order. */
  slotsSince(since: number): readonly number[] {
    const slots: number[] = []
    for (let slot = 0; slot < this.#stamps.length; slot += 1) {
      if ((this.#stamps[slot] ?? 0) >= since) slots.push(slot)
    }
    return slots
  }

  #write(slot: number, row: T | RawRow | undefined, stamp: number): void {
    this.#rows[slot] = row
    this.#stamps[slot] = stamp
  }
}

function isRaw(row: Stamped | RawRow): row is RawRow {
  return 'rawJson' in row
}
