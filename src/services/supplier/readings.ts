import type { ImportCounts } from '../../../db/queries/supplier/import.ts'
import * as queries from '../../../db/queries/supplier/readings.ts'
import * as ledger from '../../../db/queries/supplier/runs.ts'
import type { SyncType } from '../../../db/tables/sync.ts'
import type { Deps } from '../../deps.ts'
import {
  type FullLoad,
  judgeList,
  judgeProducts,
  type Reading,
  readingAfter,
  readingSince,
  type Verdict,
} from '../../rules/supplier/readings.ts'
import type { RejectedRecord, SupplierBatch } from '../../rules/supplier/records.ts'
import { type UnitOfWork, write } from '../../runtime/write.ts'
import { retryOnConflict } from '../runs.ts'

export type Run = {
  id: number
  startedAt: Date
  /** An operator confirms that missed products are gone, however many. */
  acceptVanished: boolean
  /** The last warning of each type, for staff. */
  warnings: Map<SyncType, string>
  signal: AbortSignal
}

/** Writes a page and its counts in one transaction. */
export async function writePage(
  deps: Deps,
  run: Run,
  type: SyncType,
  { rejected }: { rejected: RejectedRecord[] },
  writeRecords: (tx: UnitOfWork) => Promise<ImportCounts>,
): Promise<ImportCounts> {
  const writeAll = async (tx: UnitOfWork): Promise<ImportCounts> => {
    const counts = await writeRecords(tx)
    await ledger.recordPage(tx.db, run.id, type, counts, rejected)
    tx.recordChange('syncRun', [run.id])
    return counts
  }
  return retryOnConflict(() => write(deps, writeAll, 'run'))
}

/** Ids of all records, rejected ones included: they were listed, too. */
export function idsOf({ records, rejected }: SupplierBatch<{ externalId: string }>): string[] {
  const ids = [...records, ...rejected].map(({ externalId }) => externalId)
  return ids.filter((id) => id !== null)
}

export function sizeOf({ records, rejected }: SupplierBatch<unknown>): number {
  return records.length + rejected.length
}

/** `since`: the moment to ask from; null: a full load. */
type StartedReading = Reading & { type: SyncType; since: Date | null }

/** `watermark`: the moment to store when the type has been read to its end. */
export type TypeReading = StartedReading & { watermark: Date }

/** Decides between an incremental list and a full load. */
export async function beginReading(
  { db }: Deps,
  run: Run,
  type: SyncType,
  fullHours: number,
): Promise<StartedReading> {
  const reading = await queries.findReading(db, type)
  const since = readingSince(reading, run.startedAt, fullHours)
  await ledger.insertRunType(db, run.id, type, since === null)
  return { ...reading, type, since }
}

/** Ends the reading of categories or brands. */
export async function endListReading(
  tx: UnitOfWork,
  run: Run,
  reading: TypeReading,
  batch: SupplierBatch<{ externalId: string }>,
): Promise<void> {
  const { type, since } = reading
  if (since !== null) return storeIncremental(tx, run, reading, 1)
  const judge = (load: FullLoad) => judgeList(load, type.toLowerCase())
  await endFullLoad(tx, run, reading, queries.listedRecords(type, idsOf(batch)), sizeOf(batch) === 0, judge)
}

/** Ends the reading of products. @returns whether it was a full load that is trusted */
export async function endProductReading(
  tx: UnitOfWork,
  run: Run,
  reading: TypeReading,
  { pages, empty }: { pages: number; empty: boolean },
): Promise<boolean> {
  if (reading.since !== null) {
    await storeIncremental(tx, run, reading, pages)
    return false
  }
  const judge = (load: FullLoad) => judgeProducts(load, run.acceptVanished)
  return endFullLoad(tx, run, reading, queries.activeProducts(run.id), empty, judge)
}

async function storeIncremental(
  { db }: UnitOfWork,
  run: Run,
  reading: TypeReading,
  pages: number,
): Promise<void> {
  const { state_discarded: isDiscarded } = await ledger.lockRun(db, run.id)
  if (isDiscarded) return
  await queries.storeReading(db, reading.type, readingAfter(reading, reading.watermark, pages))
}

async function endFullLoad(
  tx: UnitOfWork,
  run: Run,
  { type, watermark }: TypeReading,
  candidates: queries.Candidates,
  empty: boolean,
  judge: (load: FullLoad) => Verdict,
): Promise<boolean> {
  const measured = await queries.measureFullLoad(tx.db, candidates)
  const { trusted, deactivate, warning } = judge({ ...measured, empty })
  if (deactivate) {
    const deactivated = await queries.deactivateMissed(tx.db, run.id)
    tx.recordChange('product', deactivated)
    await ledger.recordDeactivated(tx.db, run.id, deactivated.length)
  }
  const { state_discarded: isDiscarded } = await ledger.lockRun(tx.db, run.id)
  const isStored = trusted && !isDiscarded
  await queries.recordFullLoad(tx.db, candidates, { empty, trustedAt: isStored ? run.startedAt : null })
  if (isStored) await queries.storeReading(tx.db, type, { lastSyncTime: watermark, nextSyncTime: null })
  if (warning === null) run.warnings.delete(type)
  else run.warnings.set(type, warning)
  return trusted
}
