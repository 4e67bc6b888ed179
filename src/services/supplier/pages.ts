import type { ImportCounts } from '../../../db/queries/supplier/import.ts'
import * as ledger from '../../../db/queries/supplier/runs.ts'
import type { SyncType } from '../../../db/tables/sync.ts'
import type { Deps } from '../../deps.ts'
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
