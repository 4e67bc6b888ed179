import { type AdvisoryLock, tryLock } from '../../../db/advisory-locks.ts'
import * as ledger from '../../../db/queries/pipeline/runs.ts'
import { clearStaging, measureStaged } from '../../../db/queries/pipeline/staging.ts'
import { refreshStatistics } from '../../../db/queries/supplier/runs.ts'
import {
  PIPELINE_STAGES,
  type PipelineStage,
  type StageCounts,
  type XmlPipelineRunRow,
} from '../../../db/tables/pipeline.ts'
import { AppError, conflict, FeedError, notFound } from '../../errors.ts'
import { attributes, mapCategories, queueImages, snapshot } from './apply.ts'
import { download, sweepDownloads } from './download.ts'
import { parse } from './parse.ts'
import { createStageProgress, type PipelineDeps, type PipelineRun, type StageProgress } from './stage.ts'

const KEEP_RUNS_MS = 90 * 24 * 3_600_000
/** So many changed products have outdated the planner's statistics. */
const MANY_CHANGES = 5000

type Stage = (deps: PipelineDeps, run: PipelineRun, progress: StageProgress) => Promise<StageCounts>

/** What each stage does; the last four end themselves, in the transaction of what they write. */
const STAGES: Record<PipelineStage, { work: Stage; endsItself?: true }> = {
  DOWNLOAD: { work: download },
  PARSE: { work: parse },
  SNAPSHOT: { work: snapshot, endsItself: true },
  CATEGORY_MAPPING: { work: mapCategories, endsItself: true },
  ATTRIBUTES: { work: attributes, endsItself: true },
  IMAGE_QUEUE: { work: queueImages, endsItself: true },
}

export type StartedPipeline = {
  runId: number
  /** Resolves when the run has ended, well or not. Never rejects. */
  finished: Promise<void>
}

/**
 * Begins to bring in the supplier's XML feed (contract section 9, "Pipeline"). A stop or a crash fails the run, which
 * can go on later from the stage that it was at.
 * @throws AppError 409 FEED_NOT_CONFIGURED; 409 PIPELINE_RUNNING with the id of the run in the way, on whichever
 * instance it is; 503 when stopping
 */
export function startPipeline(deps: PipelineDeps, { dryRun }: { dryRun: boolean }): Promise<StartedPipeline> {
  if (deps.xmlFeed === null) {
    throw conflict('FEED_NOT_CONFIGURED', 'There is no feed to read: XML_FEED_URL is not set')
  }
  return begin(deps, async () => {
    await ledger.deleteRunsBefore(deps.db, new Date(deps.now().getTime() - KEEP_RUNS_MS))
    return ledger.insertRun(deps.db, dryRun, deps.now())
  })
}

/**
 * Lets a failed run go on from the stage that failed, with the feed that it has downloaded.
 * @throws AppError 404; 409 RUN_NOT_RETRYABLE when it did not fail, was a dry run, or a later run has begun; otherwise
 * as startPipeline
 */
export function retryPipeline(deps: PipelineDeps, id: number): Promise<StartedPipeline> {
  return begin(deps, async () => {
    const run = await ledger.findRun(deps.db, id)
    if (run === undefined) throw notFound('pipeline run')
    const newest = await ledger.findNewestRun(deps.db)
    const reason = whyNot(run, newest)
    if (reason !== null) throw conflict('RUN_NOT_RETRYABLE', reason)
    return ledger.reopenRun(deps.db, id)
  })
}

function whyNot(run: XmlPipelineRunRow, newest: XmlPipelineRunRow | undefined): string | null {
  if (run.status !== 'FAILED') return 'The run has not failed'
  if (run.dry_run) return 'A dry run has nothing to go on with; start another one'
  return newest?.id === run.id ? null : `A later run has begun: ${newest?.id}`
}

/** Records runs whose process is gone as failed, unless one is under way somewhere. */
export async function recoverPipeline(deps: PipelineDeps): Promise<void> {
  const lock = await tryLock(deps.config.databaseUrl, 'xmlPipeline')
  if (lock === null) return
  await failInterrupted(deps).finally(() => lock.release())
}

/** Whoever holds the lock knows that a run still marked as running died. */
async function failInterrupted({ db, log, now }: PipelineDeps): Promise<void> {
  const interrupted = await ledger.failInterruptedRuns(db, now())
  if (interrupted > 0) log.warn({ interrupted }, 'an xml pipeline run had been interrupted')
}

/** @param open under the lock: the run that shall go on */
async function begin(deps: PipelineDeps, open: () => Promise<XmlPipelineRunRow>): Promise<StartedPipeline> {
  const begun = Promise.withResolvers<number>()
  const finished = deps.tasks
    .run(async (stop) => {
      const lock = await tryLock(deps.config.databaseUrl, 'xmlPipeline')
      if (lock === null) throw await alreadyRunning(deps)
      try {
        await failInterrupted(deps)
        const row = await open()
        begun.resolve(row.id)
        await runToEnd(deps, row, lock, stop)
      } finally {
        await lock.release()
      }
    })
    .catch(async (error: unknown) => {
      begun.reject(error)
      const runId = await begun.promise.catch(() => null)
      if (runId !== null) deps.log.error({ err: error, runId }, 'xml pipeline run could not be recorded')
    })
  return { runId: await begun.promise, finished }
}

/** The other run's row appears a moment after its lock. */
async function alreadyRunning({ db }: PipelineDeps): Promise<AppError> {
  const run = await ledger.findRunningRun(db)
  const message = run ? `Pipeline run ${run.id} is under way` : 'A pipeline run is just beginning'
  return conflict('PIPELINE_RUNNING', message, { body: run ? { runId: run.id } : {} })
}

async function runToEnd(
  deps: PipelineDeps,
  row: XmlPipelineRunRow,
  lock: AdvisoryLock,
  stop: AbortSignal,
): Promise<void> {
  const { db, log, now } = deps
  const signal = AbortSignal.any([stop, lock.lost])
  const run: PipelineRun = { id: row.id, dryRun: row.dry_run, signal }
  log.info({ runId: run.id, dryRun: run.dryRun, attempt: row.attempts }, 'xml pipeline run started')
  const began = performance.now()
  let failure: { error: string; err: unknown } | null = null
  try {
    for (const stage of await stagesToDo(deps, run)) await doStage(deps, run, stage)
  } catch (thrown) {
    failure = { error: describe(thrown, signal), err: thrown }
  }
  await ledger.finishRun(db, run.id, { error: failure?.error ?? null, finishedAt: now() })
  const line = { runId: run.id, ms: Math.round(performance.now() - began), ...failure }
  if (failure) log.error(line, 'xml pipeline run failed')
  else log.info(line, 'xml pipeline run ended')
  await tidyUp(deps, run, failure !== null).catch((error: unknown) =>
    log.warn({ err: error, runId: run.id }, 'the xml pipeline left something behind'),
  )
}

/** Those that are still to be done. What was read may be lost, then it is read again before it is applied. */
async function stagesToDo({ db }: PipelineDeps, run: PipelineRun): Promise<PipelineStage[]> {
  const stages = new Map((await ledger.listStages(db, [run.id])).map((row) => [row.stage, row]))
  const todo = new Set(PIPELINE_STAGES.filter((stage) => stages.get(stage)?.status === 'PENDING'))
  const parsed = stages.get('PARSE')
  if (parsed?.status === 'SUCCEEDED' && todo.size > 0) {
    const staged = await measureStaged(db, run.id)
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
    await ledger.failStage(db, run.id, stage, { error: describe(error, run.signal), finishedAt: now() })
    throw error
  }
}

/** What was read is needed no more, unless the run may go on. */
async function tidyUp(deps: PipelineDeps, run: PipelineRun, failed: boolean): Promise<void> {
  const { db } = deps
  await sweepDownloads(deps)
  if (failed && !run.dryRun) return
  await clearStaging(db)
  if (run.dryRun) return
  const stages = await ledger.listStages(db, [run.id])
  const changed = stages.find(({ stage }) => stage === 'ATTRIBUTES')?.counts.changed ?? 0
  if (changed >= MANY_CHANGES) await refreshStatistics(db)
}

/** A cause that says nothing of our insides: the feed's fault in words, anything else only in the log. */
function describe(thrown: unknown, signal: AbortSignal): string {
  const cause: unknown = signal.aborted ? signal.reason : thrown
  if (signal.aborted) return `Interrupted: ${cause instanceof Error ? cause.message : String(cause)}`
  if (cause instanceof FeedError || (cause instanceof AppError && cause.status < 500)) return cause.message
  if (cause instanceof AppError && cause.code === 'UNAVAILABLE') return cause.message
  return 'An error on our side; the log has the details'
}
