import { lockWork } from '../../../db/locks.ts'
import { databaseTime, releaseListed, releaseUnlisted } from '../../../db/queries/stock/reservations.ts'
import type { ImportCounts } from '../../../db/queries/supplier/import.ts'
import {
  importBrands,
  importCategories,
  linkWaitingProducts,
} from '../../../db/queries/supplier/import-lists.ts'
import { importProducts } from '../../../db/queries/supplier/import-products.ts'
import { markSeen } from '../../../db/queries/supplier/readings.ts'
import { analyzeLoadedTables } from '../../../db/queries/supplier/runs.ts'
import type { SyncType } from '../../../db/tables/sync.ts'
import type { Deps } from '../../deps.ts'
import { SupplierError } from '../../errors.ts'
import { watermarkOf } from '../../rules/supplier/readings.ts'
import { type UnitOfWork, write } from '../../runtime/write.ts'
import { withSafeDescriptions } from '../catalogue/editing.ts'
import { freshSetting } from '../settings/settings.ts'
import {
  beginReading,
  endListReading,
  endProductReading,
  idsOf,
  type Run,
  sizeOf,
  type TypeReading,
  writePage,
} from './readings.ts'

/** Fewer products don't outdate the planner's statistics. */
const MIN_FOR_ANALYZE = 1000

/** `askedAt`: before the request; the supplier's figures may not include orders submitted later. */
type ProductPage = Awaited<ReturnType<Deps['supplier']['products']>> & { number: number; askedAt: Date }

/**
 * Reads categories, brands and products, and writes them (specification, "Run order"). The watermark of a type is stored
 * in the transaction of its last page.
 * @throws SupplierError
 */
export async function readLists(deps: Deps, run: Run): Promise<void> {
  const fullHours = Number(await freshSetting(deps, 'sync_full_hours'))
  const begin = (type: SyncType) => beginReading(deps, run, type, fullHours)
  const { supplier } = deps

  const categoriesFrom = await begin('CATEGORIES')
  const categories = await supplier.categories(categoriesFrom.since, run.signal)
  // The supplier's time as of the first answer: later ones could miss changes.
  const watermark = watermarkOf(run.startedAt, categories.clock)
  await writePage(deps, run, 'CATEGORIES', categories, async (tx) => {
    const { counts, changed } = await importCategories(tx.db, categories.records)
    tx.recordChange('category', changed)
    await endListReading(tx, run, { ...categoriesFrom, watermark }, categories)
    return counts
  })

  const brandsFrom = await begin('BRANDS')
  const brands = await supplier.brands(brandsFrom.since, run.signal)
  await writePage(deps, run, 'BRANDS', brands, async (tx) => {
    const { counts, changed } = await importBrands(tx.db, brands.records)
    tx.recordChange('brand', changed)
    tx.recordChange('product', await linkWaitingProducts(tx.db))
    await endListReading(tx, run, { ...brandsFrom, watermark }, brands)
    return counts
  })

  await readProducts(deps, run, { ...(await begin('PRODUCTS')), watermark })
}

/** Reads all pages of products; the next page is fetched while one is written. */
async function readProducts(deps: Deps, run: Run, reading: TypeReading): Promise<void> {
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
    await lockWork(tx.db, 'productRows')
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
