import type { Stamped, StampedList } from './stamped-list.ts'

/** A page: its items as a JSON array, and whether more rows follow. */
interface JsonPage {
  readonly items: string
  readonly more: boolean
}

/** The records of a list as JSON, cached until a record is replaced. */
export class ListJson<T extends Stamped> {
  readonly #list: StampedList<T>
  readonly #toWire: (record: T) => unknown
  readonly #texts = new WeakMap<T, string>()

  constructor(list: StampedList<T>, toWire: (record: T) => unknown) {
    this.#list = list
    this.#toWire = toWire
  }

  /** @param page from 1 @param since epoch milliseconds */
  page(page: number, limit: number, since?: number): JsonPage {
    const filtered = since === undefined ? undefined : this.#list.slotsSince(since)
    const total = filtered?.length ?? this.#list.slotCount
    const start = (page - 1) * limit
    const end = Math.min(start + limit, total)
    const texts: string[] = []
    for (let index = start; index < end; index += 1) {
      const text = this.#textAt(filtered?.[index] ?? index)
      if (text !== undefined) texts.push(text)
    }
    return { items: `[${texts.join(',')}]`, more: end < total && start < total }
  }

  /** The whole list as one JSON array. */
  all(since?: number): string {
    return this.page(1, Number.MAX_SAFE_INTEGER, since).items
  }

  #textAt(slot: number): string | undefined {
    const record = this.#list.recordAt(slot)
    if (record === undefined) return this.#list.rawJsonAt(slot)
    const text = this.#texts.get(record) ?? JSON.stringify(this.#toWire(record))
    this.#texts.set(record, text)
    return text
  }
}
