import { findRecord } from '../../../db/queries/records.ts'
import * as ledger from '../../../db/queries/supplier/runs.ts'
import { SYNC_TYPES, type SyncRunRow, type SyncRunTypesTable } from '../../../db/tables/sync.ts'
import type { Deps } from '../../deps.ts'
import { SyncCounts, SyncRun } from '../../schemas/sync.ts'
import { withDuration } from '../runs.ts'
import { toWire } from '../wire.ts'

/** Finds a run without its skipped records. */
export async function findSyncRun({ db }: Pick<Deps, 'db'>, id: number): Promise<SyncRun | null> {
  const row = await findRecord(db, 'sync_runs', id)
  return row ? toSyncRun(row, await ledger.listRunTypes(db, [id])) : null
}

export function toSyncRun(row: SyncRunRow, types: SyncRunTypesTable[]): SyncRun {
  const own = types
    .filter((type) => type.run_id === row.id)
    .sort((a, b) => SYNC_TYPES.indexOf(a.sync_type) - SYNC_TYPES.indexOf(b.sync_type))
  return toWire(SyncRun, { ...withDuration(row), types: own.map((type) => toWire(SyncCounts, type)) })
}
