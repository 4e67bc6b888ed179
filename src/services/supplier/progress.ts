import type { FastifyBaseLogger } from 'fastify'
import type { ImportCounts } from '../../../db/queries/supplier/import.ts'
import type { RunStatus, SyncType } from '../../../db/tables/sync.ts'
import type { RejectedRecord } from '../../rules/supplier/records.ts'

const REPORT_MS = 2000
/** So many skipped records are named in the log; the ledger has all. */
const NAMED = 5

type Ending = {
  runId: number
  status: RunStatus
  ms: number
  warnings: string[]
  error?: string
  err?: unknown
}

export type Progress = {
  add(syncType: SyncType, counts: ImportCounts, skipped: RejectedRecord[]): void
  /** Order lines that hold no more. */
  addReleased(lines: number): void
  /** Writes a line to the log, at most every two seconds. */
  report(page: number): void
  /** The last lines: what was skipped, what staff should know, and how it ended, a failure as an error. */
  reportEnd(ending: Ending): void
  /** Records created or updated so far. */
  changed(): number
}

/** Counts what a run does and lets the log follow it. */
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
      for (const record of rejected.slice(0, NAMED - firstSkipped.length)) {
        firstSkipped.push({ syncType, ...record })
      }
    },
    addReleased(lines) {
      released += lines
    },
    report(page) {
      const now = performance.now()
      if (now - reported < REPORT_MS) return
      reported = now
      const perSecond = Math.round((seen / (now - started)) * 1000)
      log.info({ runId, page, seen, changed, skipped, perSecond }, 'sync under way')
    },
    reportEnd({ warnings, ...ending }) {
      if (skipped > 0) log.warn({ runId, skipped, first: firstSkipped }, 'sync skipped records')
      for (const warning of warnings) log.warn({ runId }, warning)
      const line = { ...ending, seen, changed, skipped, released }
      if (ending.status === 'FAILED') log.error(line, 'sync run failed')
      else log.info(line, 'sync run ended')
    },
    changed: () => changed,
  }
}
