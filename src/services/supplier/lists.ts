import { type DatabaseFault, databaseFault } from '../../../db/errors.ts'
import { lockProductRows } from '../../../db/queries/catalogue/product-edits.ts'
import { databaseTime, releaseListed, releaseUnlisted } from '../../../db/queries/stock/reservations.ts'
import * as loads from '../../../db/queries/supplier/full-loads.ts'
import {
  type ImportCounts,
  importBrands,
  importCategories,
  importProducts,
  linkWaitingProducts,
} from '../../../db/queries/supplier/import.ts'
import * as ledger from '../../../db/queries/supplier/runs.ts'
import { findReading, storeReading } from '../../../db/queries/supplier/states.ts'
import type { SyncType } from '../../../db/tables/sync.ts'
import type { Deps } from '../../deps.ts'
import { SupplierError } from '../../errors.ts'
import { type FullLoad, judgeList, judgeProducts, type Verdict } from '../../rules/supplier/full-loads.ts'
import type { RejectedRecord, SupplierBatch } from '../../rules/supplier/records.ts'
import { type Reading, readingAfter, readingSince, watermarkOf } from '../../rules/supplier/watermarks.ts'
import { type UnitOfWork, write } from '../../runtime/write.ts'
import { freshSetting } from '../settings/settings.ts'
import type { Progress } from './progress.ts'

/** So many new products may have made the planner's statistics worthless. */
const MANY_NEW = 1000

type ListDeps = Pick<Deps, 'db' | 'changes' | 'supplier'>

/** One run: what is the same for everything that it reads, and what it has to say. */
export type Run = {
  id: number
  startedAt: Date
  /** An operator says that what vanished is gone, however much it is. */
  acceptVanished: boolean
  progress: Progress
  /** For staff, of each type the last. */
  warnings: Map<SyncType, string>
  signal: AbortSignal
}

/**
 * Reads the supplier's lists in their order and writes what they hold (specification, "Run order"). The watermark of a
 * type is stored with the last that is written of it.
 * @throws SupplierError
 */
export async function readLists(deps: ListDeps, run: Run): Promise<void> {
  const fullHours = Number(await freshSetting(deps, 'sync_full_hours'))
  const begin = (type: SyncType) => beginType(deps, run, type, fullHours)
  const { supplier } = deps

  const categoriesFrom = await begin('CATEGORIES')
  const categories = await supplier.categories(categoriesFrom.since, run.signal)
  // The run's first answer tells the supplier's time.
  const watermark = watermarkOf(run.startedAt, categories.clock)
  await writePage(deps, run, 'CATEGORIES', categories, async (tx) => {
    const { counts, changed } = await importCategories(tx.db, categories.records)
    tx.recordChange('category', changed)
    await endList(tx, run, 'CATEGORIES', { ...categoriesFrom, watermark }, categories)
    return counts
  })

  const brandsFrom = await begin('BRANDS')
  const brands = await supplier.brands(brandsFrom.since, run.signal)
  await writePage(deps, run, 'BRANDS', brands, async (tx) => {
    const { counts, changed } = await importBrands(tx.db, brands.records)
    tx.recordChange('brand', changed)
    tx.recordChange('product', await linkWaitingProducts(tx.db))
    await endList(tx, run, 'BRANDS', { ...brandsFrom, watermark }, brands)
    return counts
  })

  await readProducts(deps, run, { ...(await begin('PRODUCTS')), watermark })
}

/** `since`: to ask from; null: a full load. */
type Beginning = Reading & { since: Date | null }

async function beginType({ db }: ListDeps, run: Run, type: SyncType, fullHours: number): Promise<Beginning> {
  const reading = await findReading(db, type)
  const since = readingSince(reading, run.startedAt, fullHours)
  await ledger.insertRunType(db, run.id, type, since === null)
  return { ...reading, since }
}

/** `watermark`: what the run may store when it has read everything. */
type Part = Beginning & { watermark: Date }

async function endList(
  tx: UnitOfWork,
  run: Run,
  type: 'CATEGORIES' | 'BRANDS',
  part: Part,
  batch: SupplierBatch<{ externalId: string }>,
): Promise<void> {
  if (part.since !== null) return storeIncremental(tx, run, type, part, 1)
  const listed = loads.listRecords(type, idsOf(batch))
  const words = type === 'BRANDS' ? 'brands' : 'categories'
  await endFullLoad(tx, run, listed, part, sizeOf(batch) === 0, (load) => judgeList(load, words))
}

async function readProducts(deps: ListDeps, run: Run, part: Part): Promise<void> {
  const { progress, signal } = run
  const beganAt = await databaseTime(deps.db)
  let pages = 0
  let seen = 0
  let sinceAnalyzed = 0
  let upcoming: Promise<ProductPage> | null = fetchAhead(deps, 1, part.since, signal)
  while (upcoming !== null) {
    const page: ProductPage = await upcoming
    signal.throwIfAborted()
    upcoming = page.nextPage === null ? null : fetchAhead(deps, page.nextPage, part.since, signal)
    const { created } = await writeProducts(deps, run, page)
    pages += 1
    seen += sizeOf(page)
    sinceAnalyzed += created
    // As often as the table may have doubled.
    if (sinceAnalyzed >= Math.max(MANY_NEW, seen / 2)) {
      await ledger.analyzeLoadedTables(deps.db)
      sinceAnalyzed = 0
    }
    progress.report(page.number)
  }
  if (part.since === null) await ledger.analyzeLoadedTables(deps.db)
  const end = async (tx: UnitOfWork) => {
    const trusted = await endProducts(tx, run, part, pages, seen === 0)
    if (trusted) progress.addReleased(letGo(tx, await releaseUnlisted(tx.db, run.id, beganAt)))
  }
  await write(deps, end, 'run')
}

async function writeProducts(deps: ListDeps, run: Run, page: ProductPage): Promise<ImportCounts> {
  let released = 0
  const written = await writePage(deps, run, 'PRODUCTS', page, async (tx) => {
    await lockProductRows(tx.db)
    const added = await loads.markSeen(tx.db, run.id, idsOf(page))
    if (added === 0 && page.nextPage !== null) {
      const facts = `page ${page.number} held nothing new, and named page ${page.nextPage} as the next`
      throw new SupplierError(`The list of products does not end: ${facts}`)
    }
    const ids = page.records.map(({ externalId }) => externalId)
    released = letGo(tx, await releaseListed(tx.db, ids, page.askedAt))
    const { counts, changed } = await importProducts(tx.db, page.records)
    tx.recordChange('product', changed)
    return counts
  })
  run.progress.addReleased(released)
  return written
}

/** @returns whether what was not listed was read all the same: not by an incremental run, nor a load that proves nothing */
async function endProducts(
  tx: UnitOfWork,
  run: Run,
  part: Part,
  pages: number,
  empty: boolean,
): Promise<boolean> {
  if (part.since !== null) {
    await storeIncremental(tx, run, 'PRODUCTS', part, pages)
    return false
  }
  const ours = loads.activeProducts(run.id)
  const judge = (load: FullLoad) => judgeProducts(load, run.acceptVanished)
  return endFullLoad(tx, run, ours, part, empty, judge)
}

async function storeIncremental(
  tx: UnitOfWork,
  run: Run,
  type: SyncType,
  part: Part,
  pages: number,
): Promise<void> {
  await storeReading(tx.db, run.id, type, { ...readingAfter(part, part.watermark, pages), fullLoadAt: null })
}

/** Does what the full load proves. @returns whether it is trusted */
async function endFullLoad(
  tx: UnitOfWork,
  run: Run,
  ours: loads.Candidates,
  { watermark }: Part,
  empty: boolean,
  judge: (load: FullLoad) => Verdict,
): Promise<boolean> {
  const { trusted, deactivate, warning } = judge(await loads.measureFullLoad(tx.db, ours, empty))
  if (deactivate) {
    const gone = await loads.deactivateMissed(tx.db, run.id)
    tx.recordChange('product', gone)
    await ledger.recordDeactivated(tx.db, run.id, gone.length)
  }
  await loads.rememberFullLoad(tx.db, ours, empty)
  if (trusted) {
    const reading = { lastSyncTime: watermark, nextSyncTime: null, fullLoadAt: run.startedAt }
    await storeReading(tx.db, run.id, ours.type, reading)
  }
  if (warning === null) run.warnings.delete(ours.type)
  else run.warnings.set(ours.type, warning)
  return trusted
}

/** Says whose quantities are free again. @returns how many lines held them */
function letGo(tx: UnitOfWork, products: (number | null)[]): number {
  tx.recordChange(
    'stock',
    products.filter((id) => id !== null),
  )
  return products.length
}

/** `askedAt`: before the supplier was asked; what was sent later its figures may not know. */
type ProductPage = Awaited<ReturnType<Deps['supplier']['products']>> & { number: number; askedAt: Date }

/** Asks for a page while the one before it is being written; if that fails, the loop hears of it when it gets there. */
function fetchAhead(
  { db, supplier }: ListDeps,
  number: number,
  since: Date | null,
  signal: AbortSignal,
): Promise<ProductPage> {
  const answer = databaseTime(db).then(async (askedAt) => ({
    number,
    askedAt,
    ...(await supplier.products(number, since, signal)),
  }))
  answer.catch(() => {})
  return answer
}

function sizeOf({ records, rejected }: SupplierBatch<unknown>): number {
  return records.length + rejected.length
}

/** A record that was skipped was there all the same. */
function idsOf({ records, rejected }: SupplierBatch<{ externalId: string }>): string[] {
  const ids = [...records, ...rejected].map(({ externalId }) => externalId)
  return ids.filter((id) => id !== null)
}

const ATTEMPTS = 3
/**
 * Another transaction was in the way, or an editor took a slug or deleted a category at the same moment: the page is
 * written again.
 */
const PASSING: (DatabaseFault | null)[] = ['RACED', 'TAKEN', 'DANGLING']

async function writePage(
  deps: ListDeps,
  run: Run,
  type: SyncType,
  { rejected }: { rejected: RejectedRecord[] },
  writeRecords: (tx: UnitOfWork) => Promise<ImportCounts>,
): Promise<ImportCounts> {
  const writeAll = async (tx: UnitOfWork): Promise<ImportCounts> => {
    await ledger.commitLazily(tx.db)
    const written = await writeRecords(tx)
    await ledger.recordPage(tx.db, run.id, type, written, rejected)
    return written
  }
  for (let attempt = 1; ; attempt++) {
    try {
      const counts = await write(deps, writeAll, 'run')
      run.progress.add(type, counts, rejected)
      return counts
    } catch (error) {
      if (attempt === ATTEMPTS || !PASSING.includes(databaseFault(error))) throw error
    }
  }
}
