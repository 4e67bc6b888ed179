import { lockWork } from '../../../db/locks.ts'
import { databaseTime, releaseListed, releaseUnlisted } from '../../../db/queries/stock/reservations.ts'
import type { Imported } from '../../../db/queries/supplier/import.ts'
import { importBrands, importCategories, linkWaitingProducts } from '../../../db/queries/supplier/import-lists.ts'
import { allocateProducts, importProducts } from '../../../db/queries/supplier/import-products.ts'
import * as queries from '../../../db/queries/supplier/readings.ts'
import * as ledger from '../../../db/queries/supplier/runs.ts'
import type { SyncType } from '../../../db/tables/sync.ts'
import type { Deps } from '../../deps.ts'
import { SupplierError } from '../../errors.ts'
import * as rules from '../../rules/supplier/readings.ts'
import type { SupplierBatch } from '../../rules/supplier/records.ts'
import { type UnitOfWork, write } from '../../runtime/write.ts'
import { withSafeDescriptions } from '../catalogue/editing.ts'
import { retryOnConflict } from '../runs.ts'
import { freshSetting } from '../settings/settings.ts'

/** Fewer products don't outdate the planner's statistics. */
const MIN_FOR_ANALYZE = 1000

export type Run = {
  id: number
  startedAt: Date
  /** An operator confirms that missed products are gone, however many. */
  acceptVanished: boolean
  signal: AbortSignal
}

/** `since`: the moment to ask from; null: a full load. */
type Reading = rules.StoredReading & { type: SyncType; since: Date | null }

/** `askedAt`: before the request; the supplier's figures may not include orders submitted later. */
type ProductPage = Awaited<ReturnType<Deps['supplier']['products']>> & { number: number; askedAt: Date }

/**
 * Reads categories, brands and products, and writes them (specification, "Run order"). The watermark of a type is stored
 * when it has been read to its end.
 * @throws SupplierError
 */
export async function readLists(deps: Deps, run: Run): Promise<void> {
  const { db, supplier } = deps
  const fullHours = Number(await freshSetting(deps, 'sync_full_hours'))
  /** Decides between an incremental list and a full load. */
  const begin = async (type: SyncType, watermark?: Date): Promise<Reading> => {
    const stored = await queries.findReading(db, type)
    const since = rules.readingSince(stored, run.startedAt, fullHours, watermark)
    await ledger.insertRunType(db, run.id, type, since === null)
    return { ...stored, type, since }
  }
  const end = async (reading: Reading, list: SupplierBatch<unknown>): Promise<void> => {
    // Probably a fault of the supplier: the next run reads the full list, too.
    const isDoubtful = reading.since === null && reading.filled && sizeOf(list) === 0
    if (!isDoubtful) await write(deps, (tx) => storeReading(tx, run, reading, watermark))
  }

  const categoriesFrom = await begin('CATEGORIES')
  const categories = await supplier.categories(categoriesFrom.since, run.signal)
  // The supplier's time as of the first answer: later ones could miss changes.
  const watermark = rules.watermarkOf(run.startedAt, categories.clock)
  await writePage(deps, run, 'CATEGORIES', categories, ({ db }) => importCategories(db, categories.records))
  await end(categoriesFrom, categories)

  const brandsFrom = await begin('BRANDS', watermark)
  const brands = await supplier.brands(brandsFrom.since, run.signal)
  await writePage(deps, run, 'BRANDS', brands, async (tx) => {
    const imported = await importBrands(tx.db, brands.records)
    tx.recordChange('product', await linkWaitingProducts(tx.db))
    return imported
  })
  await end(brandsFrom, brands)

  await readProducts(deps, run, await begin('PRODUCTS', watermark), watermark)
}

/** Reads all pages of products; the next page is fetched while one is written. */
async function readProducts(deps: Deps, run: Run, reading: Reading, watermark: Date): Promise<void> {
  const { signal } = run
  let pages = 0
  let seen = 0
  let newSinceAnalyze = 0
  let page: ProductPage | null = await fetchPage(deps, 1, reading.since, signal)
  const { askedAt } = page
  while (page !== null) {
    signal.throwIfAborted()
    const { nextPage } = page
    let next: Promise<ProductPage> | undefined
    const fetchNext = () => {
      if (nextPage !== null) next ??= fetchPage(deps, nextPage, reading.since, signal)
      return next ?? null
    }
    // Repeated whenever the table may have doubled.
    const isOutdated = newSinceAnalyze >= Math.max(MIN_FOR_ANALYZE, seen / 2)
    const analyzed = isOutdated ? ledger.analyzeLoadedTables(deps.db) : null
    const [created] = await Promise.all([writeProducts(deps, run, page, fetchNext), analyzed])
    newSinceAnalyze = created + (isOutdated ? 0 : newSinceAnalyze)
    pages += 1
    seen += sizeOf(page)
    page = await fetchNext()
  }
  if (reading.since === null && seen >= MIN_FOR_ANALYZE) await ledger.analyzeLoadedTables(deps.db)
  const end = async (tx: UnitOfWork) => {
    const warning = reading.since === null ? await reviewFullLoad(tx, run, seen === 0) : null
    if (warning !== null) return warning
    await storeReading(tx, run, reading, watermark, pages)
    if (reading.since === null) tx.recordChange('stock', await releaseUnlisted(tx.db, run.id, askedAt))
    return null
  }
  const warning = await write(deps, end)
  if (warning !== null) deps.log.warn({ runId: run.id }, warning)
}

/** Deactivates the products that are gone after a full load. @returns why the load is not trusted; null if it is */
async function reviewFullLoad(tx: UnitOfWork, run: Run, empty: boolean): Promise<string | null> {
  const load = { ...(await queries.measureFullLoad(tx.db, run.id)), empty }
  const { warning, deactivate } = rules.judgeFullLoad(load, run.acceptVanished)
  if (deactivate) tx.recordChange('product', await queries.deactivateMissed(tx.db, run.id))
  await ledger.lockRun(tx.db, run.id)
  await queries.storeMissed(tx.db, run.id)
  await queries.recordFullLoad(tx.db, 'PRODUCTS', { empty })
  if (warning !== null) await ledger.updateRun(tx.db, run.id, { warnings: [warning] })
  return warning
}

/**
 * @param fetchNext called while the database runs its longest statement, and this process has little to do
 * @returns how many products were created
 */
async function writeProducts(deps: Deps, run: Run, page: ProductPage, fetchNext: () => unknown): Promise<number> {
  const { created, unseen } = await writePage(deps, run, 'PRODUCTS', page, async (tx) => {
    await lockWork(tx.db, 'productRows', 'productSlugs')
    const fresh = await allocateProducts(tx.db, page.records)
    const importing = importProducts(tx.db, page.records, fresh)
    fetchNext()
    const imported = await importing
    const ids = page.records.map(({ externalId }) => externalId)
    // New products are in no order yet.
    const areNew = imported.created === ids.length
    if (!areNew) tx.recordChange('stock', await releaseListed(tx.db, ids, page.askedAt))
    return imported
  })
  if (unseen > 0 || page.nextPage === null) return created
  const facts = `page ${page.number} contained nothing new but named ${page.nextPage} as the next page`
  throw new SupplierError(`The list of products does not end: ${facts}`)
}

/** Handles the rejection at once, as the caller awaits the page only after the one before is written. */
function fetchPage(deps: Deps, number: number, since: Date | null, signal: AbortSignal): Promise<ProductPage> {
  const page = databaseTime(deps.db).then(async (askedAt) => {
    const { records, ...others } = await deps.supplier.products(number, since, signal)
    return { number, askedAt, ...others, records: await withSafeDescriptions(deps, records) }
  })
  page.catch(() => {})
  return page
}

const CHANGE_KINDS = { CATEGORIES: 'category', BRANDS: 'brand', PRODUCTS: 'product' } as const

/** Writes a page and its counts in one transaction. @returns also how many products are new to the run */
async function writePage(
  deps: Deps,
  run: Run,
  type: SyncType,
  page: SupplierBatch<{ externalId: string }>,
  importRecords: (tx: UnitOfWork) => Promise<Imported>,
): Promise<Imported & { unseen: number }> {
  const writeAll = async (tx: UnitOfWork) => {
    const imported = await importRecords(tx)
    tx.recordChange(CHANGE_KINDS[type], imported.changed)
    const unseen = await ledger.recordPage(tx.db, run.id, type, page, imported)
    tx.recordChange('syncRun', [run.id])
    return { ...imported, unseen }
  }
  return retryOnConflict(() => write(deps, writeAll))
}

function sizeOf({ records, rejected }: SupplierBatch<unknown>): number {
  return records.length + rejected.length
}

/** Stores that a type was read to its end, unless the states were reset during the run. */
async function storeReading(tx: UnitOfWork, run: Run, reading: Reading, watermark: Date, pages = 1): Promise<void> {
  const { state_discarded: isDiscarded } = await ledger.lockRun(tx.db, run.id)
  if (isDiscarded) return
  await queries.storeReading(tx.db, reading.type, rules.readingAfter(reading, watermark, pages))
  if (reading.since === null) await queries.recordFullLoad(tx.db, reading.type, { trusted_at: run.startedAt })
}
