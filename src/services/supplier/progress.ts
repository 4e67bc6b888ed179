import type { FastifyBaseLogger } from 'fastify'
import type { ImportCounts } from '../../../db/queries/supplier/import.ts'
import type { RunOutcome } from '../../../db/queries/supplier/runs.ts'
import type { SyncType } from '../../../db/tables/sync.ts'
import type { RejectedRecord } from '../../rules/supplier/records.ts'

const REPORT_INTERVAL_MS = 2000
/** Skipped records that the log names; the ledger has all of them. */
const MAX_NAMED_RECORDS = 5

export type Progress = {
  add(syncType: SyncType, counts: ImportCounts, skipped: RejectedRecord[]): void
  /** Counts order lines whose reservation ended. */
  addReleased(lines: number): void
  /** Logs a line, at most every two seconds. */
  report(page: number): void
  /** Logs skipped records, warnings and the outcome. */
  reportEnd(outcome: RunOutcome & { startedAt: Date; err: unknown }): void
  /** Records created or updated so far. */
  changed(): number
}

/** Counts and logs what a run does. */
export function createProgress(log: FastifyBaseLogger, runId: number): Progress {
  const started = performance.now()
  let reported = started
  let seen = 0
  let changed = 0
  let skipped = 0
  let released = 0
  const firstSkipped: ({ syncType: SyncType } & RejectedRecord)[] = []
  return {
    add(syncType, counts, rejected) {
      seen += counts.created + counts.updated + counts.unchanged + rejected.length
      changed += counts.created + counts.updated
      skipped += rejected.length
      for (const record of rejected.slice(0, MAX_NAMED_RECORDS - firstSkipped.length)) {
        firstSkipped.push({ syncType, ...record })
      }
    },
    addReleased(lines) {
      released += lines
    },
    report(page) {
      const now = performance.now()
      if (now - reported < REPORT_INTERVAL_MS) return
      reported = now
      const perSecond = Math.round((seen / (now - started)) * 1000)
      log.info({ runId, page, seen, changed, skipped, perSecond }, 'sync progress')
    },
    reportEnd({ status, startedAt, finishedAt, warnings, error, err }) {
      if (skipped > 0) log.warn({ runId, skipped, first: firstSkipped }, 'sync records skipped')
      for (const warning of warnings) log.warn({ runId }, warning)
      const durationMs = finishedAt.getTime() - startedAt.getTime()
      const line = { runId, status, durationMs, seen, changed, skipped, released }
      if (status === 'FAILED') log.error({ ...line, error, err }, 'sync failed')
      else log.info(line, 'sync finished')
    },
    changed: () => changed,
  }
}
