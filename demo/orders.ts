import { type Static, Type } from '@sinclair/typebox'
import type { Catalogue } from './catalogue.ts'

const Text = Type.String({ pattern: '\\S' })
const OptionalText = Type.Unsafe<string | null>({ type: ['string', 'null'], default: null })
const Amount = Type.Number({ minimum: 0 })

/** The body of CreateOrder. */
export const NewOrder = Type.Object({
  reference: Text,
  customer: Type.Object({ name: Text, phone: Text, email: OptionalText }),
  delivery: Type.Object(
    { method: OptionalText, address: OptionalText, cost: { ...Amount, default: 0 } },
    { default: {} },
  ),
  comment: OptionalText,
  items: Type.Array(Type.Object({ productId: Text, quantity: Type.Integer({ minimum: 1 }), price: Amount }), {
    minItems: 1,
  }),
})
export type NewOrder = Static<typeof NewOrder>

/** An order as the supplier received it, at a time in epoch milliseconds. */
export type DemoOrder = NewOrder & { readonly id: string; readonly receivedAt: number }

/** A request that the supplier refuses; the message goes into the response. */
export class BadRequest extends Error {
  readonly statusCode = 400
}

/** Orders received, unique by reference. */
export class OrderBook {
  readonly orders: DemoOrder[] = []
  readonly #byReference = new Map<string, DemoOrder>()
  readonly #catalogue: Catalogue
  /** Orders are lost at a restart, but ids must not repeat. */
  readonly #series = Math.floor(Date.now() / 1000)
    .toString(36)
    .toUpperCase()

  constructor(catalogue: Catalogue) {
    this.#catalogue = catalogue
  }

  /**
   * Stores the order and takes its quantities from stock, or returns the order with this reference.
   * @throws BadRequest for an unknown product
   */
  place(order: NewOrder): DemoOrder {
    const known = this.#byReference.get(order.reference)
    if (known !== undefined) return known
    for (const { productId } of order.items) {
      if (this.#catalogue.products.get(productId) === undefined) throw new BadRequest(`unknown product: ${productId}`)
    }
    const number = String(this.orders.length + 1).padStart(4, '0')
    const placed = { id: `Z${this.#series}-${number}`, ...order, receivedAt: Date.now() }
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
