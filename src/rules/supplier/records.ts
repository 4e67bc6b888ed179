/** A record of the supplier's, checked and in our terms. Texts are trimmed and can be stored. */
export type SupplierCategory = {
  externalId: string
  name: string
  parentExternalId: string | null
  updatedAt: Date | null
}

export type SupplierBrand = { externalId: string; name: string; updatedAt: Date | null }

export type SupplierProduct = {
  externalId: string
  name: string
  description: string | null
  /** Decimal text with two places; null: not for sale. */
  price: string | null
  stock: number
  categoryExternalId: string | null
  brandExternalId: string | null
  active: boolean
  pageUrl: string | null
  attributes: { name: string; value: string }[]
  updatedAt: Date | null
}

/** A record that was skipped; without a readable id, `externalId` is null. */
export type RejectedRecord = { externalId: string | null; reason: string }

/** What one answer held; of records with the same id the last one counts. */
export type SupplierBatch<T> = { records: T[]; rejected: RejectedRecord[] }

/** An order as the supplier shall have it. */
export type SupplierOrder = {
  /** Our order's id: the supplier makes one order of a reference, however often it comes. */
  reference: string
  customer: { name: string; phone: string; email: string | null }
  /** Decimal text, like the prices. */
  delivery: { method: string | null; address: string | null; cost: string }
  comment: string | null
  items: { productExternalId: string; quantity: number; price: string }[]
}

/** What came back, with its beginning only, without our credentials; null when nothing did. */
type Answer = { status: number; body: string } | null

export type OrderAnswer =
  | { outcome: 'ACCEPTED'; externalId: string; answer: Answer }
  /** REFUSED: this request certainly made no order. UNCLEAR: it may have. */
  | { outcome: 'REFUSED' | 'UNCLEAR'; reason: string; answer: Answer }

/** The supplier's stock system (contract section 8). Every reading call may throw a SupplierError. */
export type SupplierClient = {
  categories(since: Date | null, signal: AbortSignal): Promise<SupplierBatch<SupplierCategory>>
  brands(since: Date | null, signal: AbortSignal): Promise<SupplierBatch<SupplierBrand>>
  /** `nextPage` is null on the last page. */
  products(
    page: number,
    since: Date | null,
    signal: AbortSignal,
  ): Promise<SupplierBatch<SupplierProduct> & { nextPage: number | null }>
  /** The order as it goes over the wire, without credentials. */
  orderBody(order: SupplierOrder): { [key: string]: unknown }
  /**
   * Sends what `orderBody` made, once, before all reading that waits. Takes as long as its turn and half a minute;
   * never throws.
   * @param signal cuts it off
   */
  createOrder(body: { [key: string]: unknown }, signal: AbortSignal): Promise<OrderAnswer>
}

/** The supplier could not be reached, refused, or answered something that is no list. Its message holds no secret. */
export class SupplierError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options)
    this.name = 'SupplierError'
  }
}
