import type { FastifyBaseLogger } from 'fastify'
import type { ImportCounts } from '../../../db/queries/supplier/import.ts'

const REPORT_MS = 2000

export type Progress = {
  add(counts: ImportCounts, skipped: number): void
  /** Order lines that hold no more. */
  addReleased(lines: number): void
  /** Writes a line to the log, at most every two seconds. */
  report(page: number): void
  /** Records created or updated so far. */
  changed(): number
  totals(): { seen: number; changed: number; skipped: number; released: number }
}

/** Counts what a run does and lets the log follow it. */
export function createProgress(log: FastifyBaseLogger, runId: number): Progress {
  const started = performance.now()
  let reported = started
  let seen = 0
  let changed = 0
  let skipped = 0
  let released = 0
  return {
    add(counts, rejected) {
      seen += counts.created + counts.updated + counts.unchanged + rejected
      changed += counts.created + counts.updated
      skipped += rejected
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
    changed: () => changed,
    totals: () => ({ seen, changed, skipped, released }),
  }
}
