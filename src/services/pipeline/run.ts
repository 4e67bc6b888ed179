import * as ledger from '../../../db/queries/pipeline/runs.ts'
import { clearStaging, countStaged } from '../../../db/queries/pipeline/staging.ts'
import { refreshStatistics } from '../../../db/queries/supplier/runs.ts'
import {
  PIPELINE_STAGES,
  type PipelineStage,
  type StageCounts,
  type XmlPipelineRunRow,
} from '../../../db/tables/pipeline.ts'
import type { Deps } from '../../deps.ts'
import { conflict, found } from '../../errors.ts'
import { warningsOf } from '../../rules/pipeline/warnings.ts'
import { write } from '../../runtime/write.ts'
import { logRunEnd, type OpenRun, type RunKind, recoverRuns, type StartedRun, startRun } from '../runs.ts'
import { enqueueImages, mapCategories, takeSnapshot, updateAttributes } from './apply.ts'
import { deleteUnusedDownloads, download } from './download.ts'
import { parse } from './parse.ts'
import { createProgressReport, type PipelineRun, type ReportProgress } from './stage.ts'

const RUN_RETENTION_MS = 90 * 24 * 3_600_000
/** From this number of changed products on, the planner's statistics are refreshed. */
const MIN_CHANGES_TO_ANALYZE = 5000

/** Each completes itself, in the transaction of its writes. */
type Stage = (deps: Deps, run: PipelineRun, report: ReportProgress) => Promise<StageCounts>

const STAGES: Record<PipelineStage, Stage> = {
  DOWNLOAD: download,
  PARSE: parse,
  SNAPSHOT: takeSnapshot,
  CATEGORY_MAPPING: mapCategories,
  ATTRIBUTES: updateAttributes,
  IMAGE_QUEUE: enqueueImages,
}

const PIPELINE: RunKind = {
  name: 'xml pipeline',
  lock: 'xmlPipeline',
  runningCode: 'PIPELINE_RUNNING',
  table: 'xml_pipeline_runs',
  failInterrupted: ledger.failInterruptedRuns,
  recordEnd: (tx, ids) => tx.recordChange('pipelineRun', ids),
}

/**
 * Starts an import of the supplier's XML feed (contract section 9, "Pipeline"). A stop or a crash fails the run, which can
 * be retried from its current stage.
 * @throws AppError 409 FEED_NOT_CONFIGURED; 409 PIPELINE_RUNNING with the id of the run on any instance; 503 when stopping
 */
export function startPipeline(deps: Deps): Promise<StartedRun> {
  if (deps.xmlFeed === null) {
    throw conflict('FEED_NOT_CONFIGURED', 'XML_FEED_URL is not set')
  }
  return startRun(deps, PIPELINE, async () => {
    await ledger.deleteRunsBefore(deps.db, new Date(deps.now().getTime() - RUN_RETENTION_MS))
    return openRun(deps, await ledger.insertRun(deps.db, deps.now()))
  })
}

/**
 * Retries a failed run from the failed stage, with the feed that was downloaded.
 * @throws AppError 404; 409 RUN_NOT_RETRYABLE unless it is the newest run and failed; as startPipeline
 */
export function retryPipeline(deps: Deps, id: number): Promise<StartedRun> {
  return startRun(deps, PIPELINE, async () => {
    const run = found(await ledger.findRun(deps.db, id), 'pipeline run')
    const obstacle = retryObstacle(run, await ledger.findNewestRun(deps.db))
    if (obstacle !== null) throw conflict('RUN_NOT_RETRYABLE', obstacle)
    return openRun(deps, await ledger.reopenRun(deps.db, id))
  })
}

function retryObstacle(run: XmlPipelineRunRow, newest: XmlPipelineRunRow | undefined): string | null {
  if (run.status !== 'FAILED') return 'The run has not failed'
  return newest?.id === run.id ? null : `Run ${newest?.id} is newer`
}

/** Records the runs of dead processes as failed. */
export function recoverPipeline(deps: Deps): Promise<void> {
  return recoverRuns(deps, PIPELINE)
}

function openRun(deps: Deps, { id, attempts }: XmlPipelineRunRow): OpenRun {
  const { log, now } = deps
  const startedAt = performance.now()
  log.info({ runId: id, attempt: attempts }, 'xml pipeline started')
  return {
    id,
    async work(signal) {
      const run: PipelineRun = { id, attempts, signal }
      for (const stage of await listOpenStages(deps, run)) await runStage(deps, run, stage)
    },
    async finish(failure) {
      const run = { id, attempts }
      const warn = (err: unknown) => log.warn({ err, runId: id }, 'xml pipeline not cleaned up')
      // Only the retry of a failed run still needs the staged rows.
      if (failure === null) await clearStaged(deps, run).catch(warn)
      await write(deps, async (tx) => {
        await ledger.finishRun(tx.db, run, { error: failure?.error ?? null, finishedAt: now() })
        tx.recordChange('pipelineRun', [id])
      })
      const durationMs = Math.round(performance.now() - startedAt)
      logRunEnd(log, PIPELINE.name, { runId: id, durationMs }, failure)
      await deleteUnusedDownloads(deps, run).catch(warn)
      if (failure === null) await reviewStages(deps, run).catch(warn)
    },
  }
}

/** The pending stages, and PARSE again if a crash of PostgreSQL has emptied the staging tables. */
async function listOpenStages({ db }: Deps, run: PipelineRun): Promise<PipelineStage[]> {
  const stages = new Map((await ledger.listStages(db, [run.id])).map((row) => [row.stage, row]))
  const open = new Set(PIPELINE_STAGES.filter((stage) => stages.get(stage)?.status === 'PENDING'))
  const parsed = stages.get('PARSE')
  if (parsed?.status === 'SUCCEEDED' && open.size > 0) {
    const staged = await countStaged(db, run.id)
    if (staged.offers !== parsed.counts.offers || staged.categories !== parsed.counts.categories)
      open.add('PARSE')
  }
  return PIPELINE_STAGES.filter((stage) => open.has(stage))
}

async function runStage(deps: Deps, run: PipelineRun, stage: PipelineStage): Promise<void> {
  const { log, now } = deps
  run.signal.throwIfAborted()
  await write(deps, async (tx) => {
    await ledger.beginStage(tx.db, run, stage, now())
    tx.recordChange('pipelineRun', [run.id])
  })
  const counts = await STAGES[stage](deps, run, createProgressReport(deps, run, stage))
  log.info({ runId: run.id, stage, ...counts }, 'xml pipeline stage finished')
}

async function clearStaged(deps: Deps, run: ledger.RunAttempt): Promise<void> {
  await write(deps, async (tx) => {
    await ledger.lockRun(tx.db, run)
    await clearStaging(tx.db)
  })
}

async function reviewStages({ db, log }: Deps, { id: runId }: ledger.RunAttempt) {
  const stages = await ledger.listStages(db, [runId])
  for (const warning of warningsOf(stages)) log.warn({ runId }, warning)
  const changed = stages.find(({ stage }) => stage === 'ATTRIBUTES')?.counts.changed ?? 0
  if (changed >= MIN_CHANGES_TO_ANALYZE) await refreshStatistics(db)
}
