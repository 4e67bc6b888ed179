import { lockProductRows } from '../../../db/queries/catalogue/product-edits.ts'
import { databaseTime, releaseListed, releaseUnlisted } from '../../../db/queries/stock/reservations.ts'
import { markSeen } from '../../../db/queries/supplier/full-loads.ts'
import type { ImportCounts } from '../../../db/queries/supplier/import.ts'
import { importProducts } from '../../../db/queries/supplier/import-products.ts'
import { analyzeLoadedTables } from '../../../db/queries/supplier/runs.ts'
import type { Deps } from '../../deps.ts'
import { SupplierError } from '../../errors.ts'
import { type UnitOfWork, write } from '../../runtime/write.ts'
import { withSafeDescriptions } from '../catalogue/descriptions.ts'
import { idsOf, type Run, sizeOf, writePage } from './pages.ts'
import { endProductReading, type TypeReading } from './readings.ts'

/** Fewer products don't outdate the planner's statistics. */
const MIN_FOR_ANALYZE = 1000

/** `askedAt`: before the request; the supplier's figures may not include orders submitted later. */
type ProductPage = Awaited<ReturnType<Deps['supplier']['products']>> & { number: number; askedAt: Date }

/** Reads all pages of products; the next page is fetched while one is written. */
export async function readProducts(deps: Deps, run: Run, reading: TypeReading): Promise<void> {
  const { signal } = run
  let pages = 0
  let seen = 0
  let newSinceAnalyze = 0
  let upcoming: Promise<ProductPage> | null = fetchPage(deps, 1, reading.since, signal)
  const { askedAt: startedAt } = await upcoming
  while (upcoming !== null) {
    const page: ProductPage = await upcoming
    signal.throwIfAborted()
    upcoming = page.nextPage === null ? null : fetchPage(deps, page.nextPage, reading.since, signal)
    const { created } = await writeProducts(deps, run, page)
    pages += 1
    seen += sizeOf(page)
    newSinceAnalyze += created
    // Repeated whenever the table may have doubled.
    if (newSinceAnalyze >= Math.max(MIN_FOR_ANALYZE, seen / 2)) {
      await analyzeLoadedTables(deps.db)
      newSinceAnalyze = 0
    }
  }
  if (reading.since === null && seen >= MIN_FOR_ANALYZE) await analyzeLoadedTables(deps.db)
  const end = async (tx: UnitOfWork) => {
    const trusted = await endProductReading(tx, run, reading, { pages, empty: seen === 0 })
    if (!trusted) return
    recordReleased(tx, await releaseUnlisted(tx.db, run.id, startedAt))
  }
  await write(deps, end, 'run')
}

function writeProducts(deps: Deps, run: Run, page: ProductPage): Promise<ImportCounts> {
  return writePage(deps, run, 'PRODUCTS', page, async (tx) => {
    await lockProductRows(tx.db)
    const added = await markSeen(tx.db, run.id, idsOf(page))
    if (added === 0 && page.nextPage !== null) {
      const facts = `page ${page.number} contained nothing new but named ${page.nextPage} as the next page`
      throw new SupplierError(`The list of products does not end: ${facts}`)
    }
    const ids = page.records.map(({ externalId }) => externalId)
    recordReleased(tx, await releaseListed(tx.db, ids, page.askedAt))
    const { counts, changed } = await importProducts(tx.db, page.records)
    tx.recordChange('product', changed)
    return counts
  })
}

/** @param products of released order lines; null: deleted since */
function recordReleased(tx: UnitOfWork, products: (number | null)[]): void {
  tx.recordChange(
    'stock',
    products.filter((id) => id !== null),
  )
}

/** Handles the rejection at once, as the caller awaits the page only after the one before is written. */
function fetchPage(
  deps: Deps,
  number: number,
  since: Date | null,
  signal: AbortSignal,
): Promise<ProductPage> {
  const page = databaseTime(deps.db).then(async (askedAt) => {
    const { records, ...others } = await deps.supplier.products(number, since, signal)
    return { number, askedAt, ...others, records: await withSafeDescriptions(deps, records) }
  })
  page.catch(() => {})
  return page
}
