import type { Catalogue } from './catalogue.ts'
import { type DemoOrder, type NewOrder, OrderError } from './orders.ts'

/** Orders received, unique by reference. */
export class OrderBook {
  readonly orders: DemoOrder[] = []
  readonly #byReference = new Map<string, DemoOrder>()
  readonly #catalogue: Catalogue
  readonly #now: () => number
  readonly #series: string

  constructor(catalogue: Catalogue, now: () => number) {
    this.#catalogue = catalogue
    this.#now = now
    // Orders are lost at a restart, but ids must not repeat.
    this.#series = Math.floor(now() / 1000)
      .toString(36)
      .toUpperCase()
  }

  /**
   * Stores the order and takes its quantities from stock, or returns the order with this reference.
   * @throws OrderError for an unknown product
   */
  place(order: NewOrder): DemoOrder {
    const known = this.#byReference.get(order.reference)
    if (known !== undefined) return known
    for (const { productId } of order.items) {
      if (this.#catalogue.products.get(productId) === undefined) throw new OrderError(`unknown product: ${productId}`)
    }
    const number = String(this.orders.length + 1).padStart(4, '0')
    const placed = { id: `Z${this.#series}-${number}`, ...order, receivedAt: this.#now() }
    this.orders.push(placed)
    this.#byReference.set(placed.reference, placed)
    for (const { productId, quantity } of order.items) this.#takeFromStock(productId, quantity)
    return placed
  }

  #takeFromStock(id: string, quantity: number): void {
    const stock = this.#catalogue.products.get(id)?.stock
    if (typeof stock === 'number') this.#catalogue.upsertProduct({ id, stock: Math.max(0, stock - quantity) })
  }
}
