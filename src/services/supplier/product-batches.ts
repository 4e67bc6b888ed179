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
/** No page is added to one, or several, with so many characters: an answer may have 32 million. */
const BATCH_LENGTH = 2_000_000

/** `listed`: the supplier's ids of its records. */
type ProductPage = { number: number; nextPage: number | null; listed: string[] }

/** Consecutive pages; of records with the same id the last one counts. */
export type ProductBatch = SupplierBatch<SupplierProduct> & {
  pages: ProductPage[]
  nextPage: number | null
  /** Why the next page could not be fetched. */
  failure?: unknown
  /** Before the first request; the supplier's figures may not include orders submitted later. */
  askedAt: Date
}

/**
 * Fetches consecutive pages of products, with sanitised descriptions. Handles the rejection at once, as the caller awaits
 * the batch only after the one before is written.
 * @throws SupplierError when not even the first page can be fetched
 */
export function fetchBatch(deps: Deps, first: number, since: Date | null, signal: AbortSignal): Promise<ProductBatch> {
  const batch = fetchPages(deps, first, since, signal)
  batch.catch(() => {})
  return batch
}

async function fetchPages(deps: Deps, first: number, since: Date | null, signal: AbortSignal): Promise<ProductBatch> {
  const askedAt = await databaseTime(deps.db)
  const pages: ProductPage[] = []
  const rejected: RejectedRecord[] = []
  // Descriptions are sanitised while the next page is fetched.
  const sanitized: Promise<SupplierProduct[]>[] = []
  let nextPage: number | null = first
  let length = 0
  let failure: unknown
  while (nextPage !== null && pages.length < PAGES_PER_BATCH && length < BATCH_LENGTH) {
    const number: number = nextPage
    const fetched = deps.supplier.products(number, since, signal).catch((error: unknown) => {
      if (pages.length === 0) throw error
      failure = error
    })
    const [page] = await Promise.all([fetched, ...sanitized])
    if (page === undefined) break
    nextPage = page.nextPage
    length += page.length
    pages.push({ number, nextPage, listed: listedIds(page) })
    rejected.push(...page.rejected)
    sanitized.push(withSafeDescriptions(deps, page.records))
  }
  const listed = (await Promise.all(sanitized)).flat()
  const records = new Map(listed.map((record) => [record.externalId, record]))
  return { pages, nextPage, failure, askedAt, rejected, records: [...records.values()] }
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
