import { databaseFault } from '../../../db/errors.ts'
import * as ledger from '../../../db/queries/pipeline/runs.ts'
import type { PipelineStage, StageCounts } from '../../../db/tables/pipeline.ts'
import type { Deps } from '../../deps.ts'
import { dryRun, type UnitOfWork, write } from '../../runtime/write.ts'

export type PipelineDeps = Pick<
  Deps,
  'config' | 'db' | 'log' | 'now' | 'changes' | 'tasks' | 'storage' | 'xmlFeed'
>

export type PipelineRun = {
  id: number
  /** It says what would change, and changes nothing. */
  dryRun: boolean
  signal: AbortSignal
}

const REPORT_MS = 2000

/** Lets the run's record and the log follow a stage, at most every two seconds. */
export type StageProgress = {
  /** @param done what the rate is made of */
  report(counts: StageCounts, done: number): Promise<void>
  /** Since the beginning; 0 at once. */
  perSecond(done: number): number
}

export function createStageProgress(
  { db, log }: Pick<Deps, 'db' | 'log'>,
  runId: number,
  stage: PipelineStage,
): StageProgress {
  const started = performance.now()
  let reported = started
  const perSecond = (done: number) => Math.round((done / Math.max(1, performance.now() - started)) * 1000)
  return {
    perSecond,
    async report(counts, done) {
      if (performance.now() - reported < REPORT_MS) return
      reported = performance.now()
      const soFar = { ...counts, perSecond: perSecond(done) }
      log.info({ runId, stage, ...soFar }, 'xml pipeline under way')
      await ledger.recordCounts(db, runId, stage, soFar)
    },
  }
}

const ATTEMPTS = 3
/** Another transaction was in the way, or a product was deleted meanwhile: the stage is done again. */
const PASSING = ['RACED', 'TAKEN', 'DANGLING']

/**
 * Applies a stage in one transaction, in which the stage also ends: all of it happened, or nothing and it is still to be
 * done. A dry run takes it back.
 */
export async function applyStage(
  deps: PipelineDeps,
  run: PipelineRun,
  stage: PipelineStage,
  work: (tx: UnitOfWork) => Promise<StageCounts>,
): Promise<StageCounts> {
  async function whole(tx: UnitOfWork): Promise<StageCounts> {
    const counts = await work(tx)
    run.signal.throwIfAborted()
    if (!(await ledger.completeStage(tx.db, run.id, stage, counts))) {
      throw new Error('Another process has ended this run')
    }
    return counts
  }
  for (let attempt = 1; ; attempt++) {
    try {
      if (!run.dryRun) return await write(deps, whole)
      const counts = await dryRun(deps, work)
      await ledger.completeStage(deps.db, run.id, stage, counts)
      return counts
    } catch (error) {
      if (attempt === ATTEMPTS || !PASSING.includes(databaseFault(error) ?? '')) throw error
    }
  }
}
