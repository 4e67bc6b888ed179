import * as ledger from '../../../db/queries/pipeline/runs.ts'
import type { PipelineStage, StageCounts } from '../../../db/tables/pipeline.ts'
import type { Deps } from '../../deps.ts'
import { type UnitOfWork, write } from '../../runtime/write.ts'
import { retryOnConflict } from '../runs.ts'

export type PipelineRun = ledger.RunAttempt & { signal: AbortSignal }

const PROGRESS_INTERVAL_MS = 2000

/** Records a stage's progress in the database and the log, at most every two seconds. */
export type ReportProgress = (counts: StageCounts) => Promise<void>

export function createProgressReport(deps: Deps, run: PipelineRun, stage: PipelineStage): ReportProgress {
  let reported = performance.now()
  return async (counts) => {
    if (performance.now() - reported < PROGRESS_INTERVAL_MS) return
    reported = performance.now()
    deps.log.info({ runId: run.id, stage, ...counts }, 'xml pipeline progress')
    await write(deps, async (tx) => {
      await ledger.recordCounts(tx.db, run, stage, counts)
      tx.recordChange('pipelineRun', [run.id])
    })
  }
}

/** Applies a stage and completes it in the same transaction, so that it happens once or not at all. */
export function applyStage(
  deps: Deps,
  run: PipelineRun,
  stage: PipelineStage,
  work: (tx: UnitOfWork) => Promise<StageCounts>,
): Promise<StageCounts> {
  const workAndComplete = async (tx: UnitOfWork): Promise<StageCounts> => {
    const counts = await work(tx)
    run.signal.throwIfAborted()
    await ledger.lockRun(tx.db, run)
    await ledger.completeStage(tx.db, run, stage, counts)
    tx.recordChange('pipelineRun', [run.id])
    return counts
  }
  return retryOnConflict(() => write(deps, workAndComplete))
}
