import { databaseTime } from '../../../db/queries/stock/reservations.ts'
import type { Deps } from '../../deps.ts'
import { SupplierError } from '../../errors.ts'
import {
  listedIds,
  type RejectedRecord,
  type SupplierBatch,
  type SupplierProduct,
} from '../../rules/supplier/records.ts'
import { withSafeDescriptions } from '../catalogue/editing.ts'

/** Pages written in one transaction, which takes ten round trips to the database for one as for five. */
const PAGES_PER_BATCH = 5
/** A batch with so many characters gets no further page: an answer may have 32 million. */
const BATCH_LENGTH = 2_000_000

/** `listed`: the supplier's ids of its records. */
type ProductPage = { number: number; nextPage: number | null; listed: string[] }

/** Consecutive pages with sanitised descriptions; of records with the same id the last one counts. */
export type ProductBatch = SupplierBatch<SupplierProduct> & {
  pages: ProductPage[]
  /** Before the first request; the supplier's figures may not include orders submitted later. */
  askedAt: Date
  /** Fetches the batch after this one; null: this is the last. @throws as fetchBatch */
  fetchNext(): Promise<ProductBatch | null>
}

/**
 * Fetches a batch of products that begins with this page.
 * @throws SupplierError when that page can't be fetched; for any later page `fetchNext` throws it, so that the caller first
 *   writes those before it
 */
export async function fetchBatch(
  deps: Deps,
  first: number,
  since: Date | null,
  signal: AbortSignal,
): Promise<ProductBatch> {
  const askedAt = await databaseTime(deps.db)
  const pages: ProductPage[] = []
  const rejected: RejectedRecord[] = []
  // Descriptions are sanitised while the next page is fetched.
  const sanitized: Promise<SupplierProduct[]>[] = []
  let nextPage: number | null = first
  let length = 0
  let failure: unknown
  while (nextPage !== null && failure === undefined && pages.length < PAGES_PER_BATCH && length < BATCH_LENGTH) {
    try {
      const number: number = nextPage
      const [page] = await Promise.all([deps.supplier.products(number, since, signal), ...sanitized])
      nextPage = page.nextPage
      length += page.length
      pages.push({ number, nextPage, listed: listedIds(page) })
      rejected.push(...page.rejected)
      sanitized.push(withSafeDescriptions(deps, page.records))
    } catch (error) {
      if (pages.length === 0) throw error
      failure = error
    }
  }
  const listed = (await Promise.all(sanitized)).flat()
  const records = [...new Map(listed.map((record) => [record.externalId, record])).values()]

  return {
    ...{ pages, askedAt, rejected, records },
    async fetchNext() {
      if (failure !== undefined) throw failure
      return nextPage === null ? null : fetchBatch(deps, nextPage, since, signal)
    },
  }
}

/** @throws SupplierError when a page contains nothing new to the run, but names a next one */
export function requireProgress(pages: ProductPage[], unseen: Set<string>): void {
  for (const { number, nextPage, listed } of pages) {
    const isNew = listed.filter((id) => unseen.delete(id)).length > 0
    if (isNew || nextPage === null) continue
    const facts = `page ${number} contained nothing new but named ${nextPage} as the next page`
    throw new SupplierError(`The list of products does not end: ${facts}`)
  }
}
