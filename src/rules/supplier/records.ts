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
