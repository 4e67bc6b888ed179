/** What each record of the supplier has: an id, and the time of its last change in epoch milliseconds. */
interface Stamped {
  readonly id: string
  readonly updatedAt: number
}

/** Records in the order of their creation. */
export class RecordList<T extends Stamped> {
  #records: T[] = []
  readonly #positions = new Map<string, number>()

  get size(): number {
    return this.#records.length
  }

  get(id: string): T | undefined {
    return this.#records[this.#positions.get(id) ?? -1]
  }

  at(position: number): T | undefined {
    return this.#records[position]
  }

  /** Appends the record, or replaces the one with its id. */
  put(record: T): void {
    const position = this.#positions.get(record.id) ?? this.#records.length
    this.#positions.set(record.id, position)
    this.#records[position] = record
  }

  delete(id: string): void {
    this.#records = this.#records.filter((record) => record.id !== id)
    this.#positions.clear()
    for (const [position, record] of this.#records.entries()) this.#positions.set(record.id, position)
  }

  /** The records changed at or after a time in epoch milliseconds; all of them without one. */
  since(epochMs: number | undefined): readonly T[] {
    if (epochMs === undefined) return this.#records
    return this.#records.filter(({ updatedAt }) => updatedAt >= epochMs)
  }

  [Symbol.iterator](): Iterator<T> {
    return this.#records.values()
  }
}
