import * as ledger from '../../../db/queries/pipeline/runs.ts'
import type { PipelineStage, StageCounts } from '../../../db/tables/pipeline.ts'
import type { Deps } from '../../deps.ts'
import { dryRun, type UnitOfWork, write } from '../../runtime/write.ts'
import { retryOnConflict } from '../runs.ts'

export type PipelineRun = ledger.RunAttempt & {
  /** Count what would change without changing it. */
  dryRun: boolean
  signal: AbortSignal
}

const PROGRESS_INTERVAL_MS = 2000

export type StageProgress = ReturnType<typeof createStageProgress>

/** Records a stage's progress in the database and the log, at most every two seconds. */
export function createStageProgress(deps: Deps, run: PipelineRun, stage: PipelineStage) {
  const started = performance.now()
  let reported = started
  const perSecond = (done: number): number =>
    Math.round((done / Math.max(1, performance.now() - started)) * 1000)
  return {
    /** The average rate since the start. */
    perSecond,
    /** @param done the items or bytes so far, for the rate */
    async report(counts: StageCounts, done: number): Promise<void> {
      if (performance.now() - reported < PROGRESS_INTERVAL_MS) return
      reported = performance.now()
      const soFar = { ...counts, perSecond: perSecond(done) }
      deps.log.info({ runId: run.id, stage, ...soFar }, 'xml pipeline progress')
      await write(deps, async (tx) => {
        await ledger.recordCounts(tx.db, run, stage, soFar)
        tx.recordChange('pipelineRun', [run.id])
      })
    },
  }
}

/**
 * Applies a stage and completes it in the same transaction, so that it happens once or not at all. A dry run rolls back.
 */
export async function applyStage(
  deps: Deps,
  run: PipelineRun,
  stage: PipelineStage,
  work: (tx: UnitOfWork) => Promise<StageCounts>,
): Promise<StageCounts> {
  async function workAndComplete(tx: UnitOfWork): Promise<StageCounts> {
    const counts = await work(tx)
    run.signal.throwIfAborted()
    await ledger.lockRun(tx.db, run)
    await ledger.completeStage(tx.db, run, stage, counts)
    tx.recordChange('pipelineRun', [run.id])
    return counts
  }
  return retryOnConflict(async () => {
    if (!run.dryRun) return write(deps, workAndComplete)
    const counts = await dryRun(deps, work)
    await ledger.completeStage(deps.db, run, stage, counts)
    return counts
  })
}
