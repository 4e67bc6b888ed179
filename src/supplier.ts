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

/** The supplier's stock system (contract section 8). Every call may throw a SupplierError. */
export type SupplierClient = {
  categories(since: Date | null, signal: AbortSignal): Promise<SupplierBatch<SupplierCategory>>
  brands(since: Date | null, signal: AbortSignal): Promise<SupplierBatch<SupplierBrand>>
  /** `nextPage` is null on the last page. */
  products(
    page: number,
    since: Date | null,
    signal: AbortSignal,
  ): Promise<SupplierBatch<SupplierProduct> & { nextPage: number | null }>
}

/** The supplier could not be reached, refused, or answered something that is no list. Its message holds no secret. */
export class SupplierError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options)
    this.name = 'SupplierError'
  }
}
