import * as ledger from '../../../db/queries/supplier/runs.ts'
import { SYNC_TYPES, type SyncRunRow, type SyncRunTypesTable } from '../../../db/tables/sync.ts'
import type { Deps } from '../../deps.ts'
import type { SyncRun } from '../../schemas/sync.ts'
import { durationBetween } from '../runs.ts'

/** Finds a run without its skipped records. */
export async function findSyncRun({ db }: Pick<Deps, 'db'>, id: number): Promise<SyncRun | null> {
  const row = await ledger.findRun(db, id)
  return row ? toSyncRun(row, await ledger.listRunTypes(db, [id])) : null
}

export function toSyncRun(row: SyncRunRow, types: SyncRunTypesTable[]): SyncRun {
  return {
    id: row.id,
    status: row.status,
    trigger: row.trigger,
    startedAt: row.started_at.toISOString(),
    finishedAt: row.finished_at?.toISOString() ?? null,
    durationMs: durationBetween(row.started_at, row.finished_at),
    error: row.error,
    warnings: row.warnings,
    types: types
      .filter((type) => type.run_id === row.id)
      .sort((a, b) => SYNC_TYPES.indexOf(a.sync_type) - SYNC_TYPES.indexOf(b.sync_type))
      .map(({ run_id: _, sync_type, full_load, ...counts }) => ({
        syncType: sync_type,
        fullLoad: full_load,
        ...counts,
      })),
    feed: row.feed,
  }
}
