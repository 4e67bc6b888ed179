/** A validated record. Its texts are storable and, except ids, trimmed. */
export type SupplierBrand = { externalId: string; name: string; updatedAt: Date | null }

export type SupplierCategory = SupplierBrand & { parentExternalId: string | null }

export type SupplierProduct = SupplierBrand & {
  description: string | null
  /** Decimal text with two places; null: not for sale. */
  price: string | null
  stock: number
  categoryExternalId: string | null
  brandExternalId: string | null
  active: boolean
  pageUrl: string | null
  attributes: { name: string; value: string }[]
  /** Members that were sent, but can't be used: the stored values stay. */
  unsound: ProductMember[]
}

/** What of a product may be unsound without its other members. */
export type ProductMember = Exclude<keyof SupplierProduct, 'externalId' | 'name' | 'updatedAt' | 'unsound'>

/** An invalid record; `externalId` is null if unreadable. `isTaken`: all but the unsound parts is among the records. */
export type RejectedRecord = { externalId: string | null; reason: string; isTaken: boolean }

/** Of one answer or several; ids are unique among `records`. */
export type SupplierBatch<T> = { records: T[]; rejected: RejectedRecord[] }

/** The number of records that the supplier listed. */
export function sizeOf({ records, rejected }: SupplierBatch<unknown>): number {
  return records.length + rejected.filter(({ isTaken }) => !isTaken).length
}

/** The ids that the supplier listed, rejected records included. */
export function listedIds({ records, rejected }: SupplierBatch<{ externalId: string }>): string[] {
  return [...records, ...rejected].flatMap(({ externalId }) => externalId ?? [])
}

export type SupplierOrder = {
  /** The id of our order: the supplier creates one order per reference, however often it is sent. */
  reference: string
  customer: { name: string; phone: string; email: string | null }
  /** Decimal text, like the prices. */
  delivery: { method: string | null; address: string | null; cost: string }
  comment: string | null
  items: { productExternalId: string; quantity: number; price: string }[]
}

/** Start of the answer without credentials; null: none was received. */
type Answer = { status: number; body: string } | null

export type OrderAnswer =
  | { outcome: 'ACCEPTED'; externalId: string; answer: Answer }
  /** REFUSED: the request certainly created no order. UNCLEAR: it may have. */
  | { outcome: 'REFUSED' | 'UNCLEAR'; reason: string; answer: Answer }
