import { lockWork } from '../../../db/locks.ts'
import { releaseListed, releaseUnlisted } from '../../../db/queries/stock/reservations.ts'
import { completeProducts } from '../../../db/queries/supplier/complete-products.ts'
import * as fullLoads from '../../../db/queries/supplier/full-loads.ts'
import type { Imported } from '../../../db/queries/supplier/import.ts'
import { importBrands, importCategories, linkWaitingProducts } from '../../../db/queries/supplier/import-lists.ts'
import { allocateProducts, importProducts } from '../../../db/queries/supplier/import-products.ts'
import * as runs from '../../../db/queries/supplier/runs.ts'
import { findWatermark, storeWatermark } from '../../../db/queries/supplier/watermarks.ts'
import type { SyncType } from '../../../db/tables/sync.ts'
import type { Deps } from '../../deps.ts'
import { judgeFullLoad } from '../../rules/supplier/full-loads.ts'
import { type SupplierBatch, sizeOf } from '../../rules/supplier/records.ts'
import * as rules from '../../rules/supplier/watermarks.ts'
import { retryOnConflict } from '../../runtime/retries.ts'
import { type UnitOfWork, write } from '../../runtime/write.ts'
import { freshSetting } from '../settings/settings.ts'
import { fetchBatch, type ProductBatch, requireProgress } from './product-batches.ts'

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
type ListImport = rules.StoredWatermark & { type: SyncType; since: Date | null }

/**
 * Reads categories, brands and products, and writes them (docs/supplier.md). The watermark of a type is stored
 * when it has been read to its end.
 * @throws SupplierError
 */
export async function importCatalogue(deps: Deps, run: Run): Promise<void> {
  const { supplier } = deps
  const fullHours = Number(await freshSetting(deps, 'sync_full_hours'))
  const categoryImport = await beginImport(deps, run, 'CATEGORIES', fullHours)
  const categories = await supplier.categories(categoryImport.since, run.signal)
  // The supplier's time as of the first answer: later ones could miss changes.
  const watermark = rules.watermarkOf(run.startedAt, categories.clock)
  await writeBatch(deps, run, 'CATEGORIES', categories, ({ db }) => importCategories(db, categories.records))
  await endImport(deps, run, categoryImport, watermark, categories)

  const brandImport = await beginImport(deps, run, 'BRANDS', fullHours, watermark)
  const brands = await supplier.brands(brandImport.since, run.signal)
  await writeBatch(deps, run, 'BRANDS', brands, async (tx) => {
    const imported = await importBrands(tx.db, brands.records)
    tx.recordChange('product', await linkWaitingProducts(tx.db))
    return imported
  })
  await endImport(deps, run, brandImport, watermark, brands)

  const productImport = await beginImport(deps, run, 'PRODUCTS', fullHours, watermark)
  await readProducts(deps, run, productImport, watermark)
}

/** Decides between an incremental list and a full load. */
async function beginImport(
  { db }: Deps,
  run: Run,
  type: SyncType,
  fullHours: number,
  watermark?: Date,
): Promise<ListImport> {
  const stored = await findWatermark(db, type)
  const since = rules.decideSince(stored, run.startedAt, fullHours, watermark)
  await runs.insertRunType(db, run.id, type, since === null)
  return { ...stored, type, since }
}

/** Stores how far a list without pages was read. */
async function endImport(deps: Deps, run: Run, list: ListImport, watermark: Date, batch: SupplierBatch<unknown>) {
  // Probably a fault of the supplier: the next run reads the full list, too.
  const isDoubtful = list.since === null && list.filled && sizeOf(batch) === 0
  if (!isDoubtful) await write(deps, (tx) => advanceWatermark(tx, run, list, watermark))
}

/** Reads all pages of products, and deactivates those that are gone. */
async function readProducts(deps: Deps, run: Run, list: ListImport, watermark: Date): Promise<void> {
  const isFull = list.since === null
  // When a write fails, the batch that is fetched ahead is of no use.
  const ended = new AbortController()
  const signal = AbortSignal.any([run.signal, ended.signal])
  const { askedAt, pages, seen } = await readPages(deps, run, list.since, signal).finally(() => ended.abort())
  if (isFull && seen >= MIN_FOR_ANALYZE) await runs.analyzeLoadedTables(deps.db)
  const warning = await write(deps, async (tx) => {
    const doubt = isFull ? await reviewFullLoad(tx, run, seen === 0) : null
    if (doubt === null) {
      await advanceWatermark(tx, run, list, watermark, pages)
      if (isFull) tx.recordChange('stock', await releaseUnlisted(tx.db, run.id, askedAt))
    }
    await runs.updateRun(tx.db, run.id, { imported: true })
    return doubt
  })
  if (warning !== null) deps.log.warn({ runId: run.id }, warning)
}

/** Reads and writes batches of pages; the next one is fetched while one is written. @returns `askedAt` of the first batch */
async function readPages(deps: Deps, run: Run, since: Date | null, signal: AbortSignal) {
  let pages = 0
  let seen = 0
  let newSinceAnalyze = 0
  let batch: ProductBatch | null = await fetchBatch(deps, 1, since, signal)
  const { askedAt } = batch
  while (batch !== null) {
    signal.throwIfAborted()
    // Before the transaction begins, which must not wait for the supplier.
    const next: Promise<ProductBatch | null> = batch.fetchNext()
    // Handled at once, as it is awaited only after this batch is written.
    next.catch(() => {})
    // Repeated whenever the table may have doubled.
    const isOutdated = newSinceAnalyze >= Math.max(MIN_FOR_ANALYZE, seen / 2)
    const analyzed = isOutdated ? runs.analyzeLoadedTables(deps.db) : null
    const [created] = await Promise.all([writeProducts(deps, run, batch), analyzed])
    newSinceAnalyze = created + (isOutdated ? 0 : newSinceAnalyze)
    pages += batch.pages.length
    seen += sizeOf(batch)
    batch = await next
  }
  return { askedAt, pages, seen }
}

/** Deactivates the products that are gone after a full load. @returns why the load is not trusted; null if it is */
async function reviewFullLoad(tx: UnitOfWork, run: Run, empty: boolean): Promise<string | null> {
  const load = { ...(await fullLoads.measureFullLoad(tx.db, run.id)), empty }
  const { warning, deactivate, waitsForAcceptance } = judgeFullLoad(load, run.acceptVanished)
  if (deactivate) {
    const deactivated = await fullLoads.deactivateMissed(tx.db, run.id)
    tx.recordChange(
      'product',
      deactivated.map(({ id }) => id),
    )
    tx.recordChange(
      'productHidden',
      deactivated.filter(({ active }) => !active).map(({ id }) => id),
    )
  }
  await runs.lockRun(tx.db, run.id)
  await fullLoads.storeMissed(tx.db, run.id)
  await fullLoads.recordFullLoad(tx.db, 'PRODUCTS', { empty })
  if (warning !== null) {
    await runs.updateRun(tx.db, run.id, { warnings: [warning], waits_for_acceptance: waitsForAcceptance })
  }
  return warning
}

/** @returns how many products were created */
async function writeProducts(deps: Deps, run: Run, batch: ProductBatch): Promise<number> {
  const { created, unseen } = await writeBatch(deps, run, 'PRODUCTS', batch, async (tx) => {
    await lockWork(tx.db, 'productRows', 'productSlugs')
    const records = await completeProducts(tx.db, batch.records)
    const fresh = await allocateProducts(tx.db, records)
    const imported = await importProducts(tx.db, records, fresh)
    const counted = records.filter(({ unsound }) => !unsound.includes('stock'))
    const ids = counted.map(({ externalId }) => externalId)
    // New products are in no order yet.
    const areNew = imported.created === records.length
    if (!areNew) tx.recordChange('stock', await releaseListed(tx.db, ids, batch.askedAt))
    tx.recordChange('productHidden', imported.hidden ?? [])
    return imported
  })
  requireProgress(batch.pages, new Set(unseen))
  return created
}

const CHANGE_KINDS = { CATEGORIES: 'category', BRANDS: 'brand', PRODUCTS: 'product' } as const

/** Writes records and their counts in one transaction. @returns also the ids of products that are new to the run */
async function writeBatch(
  deps: Deps,
  run: Run,
  type: SyncType,
  batch: SupplierBatch<{ externalId: string }>,
  importRecords: (tx: UnitOfWork) => Promise<Imported>,
): Promise<Imported & { unseen: string[] }> {
  const writeAll = async (tx: UnitOfWork) => {
    const imported = await importRecords(tx)
    tx.recordChange(CHANGE_KINDS[type], imported.changed)
    const unseen = await runs.recordBatch(tx.db, run.id, type, batch, imported)
    tx.recordChange('syncRun', [run.id])
    return { ...imported, unseen }
  }
  return retryOnConflict(() => write(deps, writeAll))
}

/** Stores that a type was read to its end, unless the states were reset during the run. */
async function advanceWatermark(tx: UnitOfWork, run: Run, list: ListImport, watermark: Date, pages = 1): Promise<void> {
  const { state_discarded: isDiscarded } = await runs.lockRun(tx.db, run.id)
  if (isDiscarded) return
  await storeWatermark(tx.db, list.type, rules.watermarkAfter(list, watermark, pages))
  if (list.since === null) await fullLoads.recordFullLoad(tx.db, list.type, { trusted_at: run.startedAt })
}
