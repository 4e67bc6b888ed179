import * as ledger from '../../../db/queries/pipeline/runs.ts'
import { clearStaging, countStaged } from '../../../db/queries/pipeline/staging.ts'
import { refreshStatistics } from '../../../db/queries/supplier/runs.ts'
import {
  PIPELINE_STAGES,
  type PipelineStage,
  type StageCounts,
  type XmlPipelineRunRow,
} from '../../../db/tables/pipeline.ts'
import { conflict, notFound } from '../../errors.ts'
import {
  describeFailure,
  type OpenRun,
  type RunKind,
  recoverRuns,
  type StartedRun,
  startRun,
} from '../runs.ts'
import { enqueueImages, mapCategories, takeSnapshot, updateAttributes } from './apply.ts'
import { deleteUnusedDownloads, download } from './download.ts'
import { parse } from './parse.ts'
import { createStageProgress, type PipelineDeps, type PipelineRun, type StageProgress } from './stage.ts'

const RUN_RETENTION_MS = 90 * 24 * 3_600_000
/** So many changed products have outdated the planner's statistics. */
const MANY_CHANGES = 5000

type Stage = (deps: PipelineDeps, run: PipelineRun, progress: StageProgress) => Promise<StageCounts>

/** What each stage does; the last four end themselves, in the transaction of what they write. */
const STAGES: Record<PipelineStage, { work: Stage; endsItself?: true }> = {
  DOWNLOAD: { work: download },
  PARSE: { work: parse },
  SNAPSHOT: { work: takeSnapshot, endsItself: true },
  CATEGORY_MAPPING: { work: mapCategories, endsItself: true },
  ATTRIBUTES: { work: updateAttributes, endsItself: true },
  IMAGE_QUEUE: { work: enqueueImages, endsItself: true },
}

const PIPELINE: RunKind = {
  name: 'xml pipeline',
  lock: 'xmlPipeline',
  runningCode: 'PIPELINE_RUNNING',
  findRunning: ledger.findRunningRun,
  failInterrupted: ledger.failInterruptedRuns,
}

/**
 * Begins to bring in the supplier's XML feed (contract section 9, "Pipeline"). A stop or a crash fails the run, which
 * can go on later from the stage that it was at.
 * @throws AppError 409 FEED_NOT_CONFIGURED; 409 PIPELINE_RUNNING with the id of the run in the way, on whichever
 * instance it is; 503 when stopping
 */
export function startPipeline(deps: PipelineDeps, { dryRun }: { dryRun: boolean }): Promise<StartedRun> {
  if (deps.xmlFeed === null) {
    throw conflict('FEED_NOT_CONFIGURED', 'There is no feed to read: XML_FEED_URL is not set')
  }
  return startRun(deps, PIPELINE, async () => {
    await ledger.deleteRunsBefore(deps.db, new Date(deps.now().getTime() - RUN_RETENTION_MS))
    return openRun(deps, await ledger.insertRun(deps.db, dryRun, deps.now()))
  })
}

/**
 * Lets a failed run go on from the stage that failed, with the feed that it has downloaded.
 * @throws AppError 404; 409 RUN_NOT_RETRYABLE when it did not fail, was a dry run, or a later run has begun; otherwise
 * as startPipeline
 */
export function retryPipeline(deps: PipelineDeps, id: number): Promise<StartedRun> {
  return startRun(deps, PIPELINE, async () => {
    const run = await ledger.findRun(deps.db, id)
    if (run === undefined) throw notFound('pipeline run')
    const newest = await ledger.findNewestRun(deps.db)
    const reason = whyNot(run, newest)
    if (reason !== null) throw conflict('RUN_NOT_RETRYABLE', reason)
    return openRun(deps, await ledger.reopenRun(deps.db, id))
  })
}

function whyNot(run: XmlPipelineRunRow, newest: XmlPipelineRunRow | undefined): string | null {
  if (run.status !== 'FAILED') return 'The run has not failed'
  if (run.dry_run) return 'A dry run has nothing to go on with; start another one'
  return newest?.id === run.id ? null : `A later run has begun: ${newest?.id}`
}

/** Records the runs of dead processes as failed. */
export function recoverPipeline(deps: PipelineDeps): Promise<void> {
  return recoverRuns(deps, PIPELINE)
}

function openRun(deps: PipelineDeps, { id, dry_run: dryRun, attempts }: XmlPipelineRunRow): OpenRun {
  const { db, log, now } = deps
  const startedAt = performance.now()
  log.info({ runId: id, dryRun, attempt: attempts }, 'xml pipeline started')
  return {
    id,
    async work(signal) {
      const run: PipelineRun = { id, dryRun, signal }
      for (const stage of await stagesToDo(deps, run)) await doStage(deps, run, stage)
    },
    async finish(failure) {
      await ledger.finishRun(db, id, { error: failure?.error ?? null, finishedAt: now() })
      const line = { runId: id, durationMs: Math.round(performance.now() - startedAt), ...failure }
      if (failure) log.error(line, 'xml pipeline failed')
      else log.info(line, 'xml pipeline finished')
      await cleanUp(deps, { id, dryRun }, failure !== null).catch((err: unknown) =>
        log.warn({ err, runId: id }, 'xml pipeline not cleaned up'),
      )
    },
  }
}

/** Those that are still to be done. What was read may be lost, then it is read again before it is applied. */
async function stagesToDo({ db }: PipelineDeps, run: PipelineRun): Promise<PipelineStage[]> {
  const stages = new Map((await ledger.listStages(db, [run.id])).map((row) => [row.stage, row]))
  const todo = new Set(PIPELINE_STAGES.filter((stage) => stages.get(stage)?.status === 'PENDING'))
  const parsed = stages.get('PARSE')
  if (parsed?.status === 'SUCCEEDED' && todo.size > 0) {
    const staged = await countStaged(db, run.id)
    if (staged.offers !== parsed.counts.offers || staged.categories !== parsed.counts.categories)
      todo.add('PARSE')
  }
  return PIPELINE_STAGES.filter((stage) => todo.has(stage))
}

async function doStage(deps: PipelineDeps, run: PipelineRun, stage: PipelineStage): Promise<void> {
  const { db, log, now } = deps
  run.signal.throwIfAborted()
  await ledger.beginStage(db, run.id, stage, now())
  const { work, endsItself } = STAGES[stage]
  try {
    const counts = await work(deps, run, createStageProgress(deps, run.id, stage))
    run.signal.throwIfAborted()
    if (!endsItself) await ledger.completeStage(db, run.id, stage, counts)
    log.info({ runId: run.id, stage, ...counts }, 'xml pipeline stage ended')
  } catch (error) {
    await ledger.failStage(db, run.id, stage, {
      error: describeFailure(error, run.signal),
      finishedAt: now(),
    })
    throw error
  }
}

/** Deletes the staged rows, which only the retry of a failed run still needs. */
async function cleanUp(
  deps: PipelineDeps,
  run: Pick<PipelineRun, 'id' | 'dryRun'>,
  failed: boolean,
): Promise<void> {
  const { db } = deps
  await deleteUnusedDownloads(deps)
  if (failed && !run.dryRun) return
  await clearStaging(db)
  if (run.dryRun) return
  const stages = await ledger.listStages(db, [run.id])
  const changed = stages.find(({ stage }) => stage === 'ATTRIBUTES')?.counts.changed ?? 0
  if (changed >= MANY_CHANGES) await refreshStatistics(db)
}
