import * as pipelineRuns from '../../../db/queries/pipeline/runs.ts'
import { clearStaging, countStaged } from '../../../db/queries/pipeline/staging.ts'
import type {
  PipelineStage as Stage,
  StageCounts,
  XmlPipelineRunRow,
  XmlPipelineStageRow,
} from '../../../db/tables/pipeline.ts'
import type { Deps } from '../../deps.ts'
import { conflict, found } from '../../errors.ts'
import type { Actor } from '../../rules/accounts/roles.ts'
import { write } from '../../runtime/write.ts'
import { type Page, type PageQuery, toPage } from '../../schemas/lists.ts'
import type { PipelineRun, PipelineRunQuery } from '../../schemas/pipeline.ts'
import * as runs from '../runs.ts'
import { enqueueImages, mapCategories, recordStage, type StageRun, takeSnapshot, updateAttributes } from './stages.ts'
import { deleteUnusedDownloads, download, parse } from './supplier-feed.ts'

const PROGRESS_INTERVAL_MS = 2000
/** Below this share of matched offers the supplier feed is probably another shop's, or its ids have changed. */
const MIN_MATCHED_PERCENT = 10

/** Each completes itself, in the transaction of its writes. */
const STAGES: Record<Stage, (deps: Deps, run: StageRun) => Promise<StageCounts>> = {
  DOWNLOAD: download,
  PARSE: parse,
  SNAPSHOT: takeSnapshot,
  CATEGORY_MAPPING: mapCategories,
  ATTRIBUTES: updateAttributes,
  IMAGE_QUEUE: enqueueImages,
}

export const PIPELINE: runs.RunKind = {
  name: 'xml pipeline',
  lock: 'xmlPipeline',
  runningCode: 'PIPELINE_RUNNING',
  table: 'xml_pipeline_runs',
  listDone: pipelineRuns.listDoneRuns,
  async recordEnd(tx, ids) {
    await pipelineRuns.failOpenStages(tx.db, ids)
    tx.recordChange('pipelineRun', ids)
  },
}

/**
 * Starts an import of the supplier feed (docs/pipeline.md). A stop or a crash fails the run, which can
 * be retried from its current stage.
 * @throws AppError 409 FEED_NOT_CONFIGURED; 409 PIPELINE_RUNNING with the id of the run on any instance; 503 when stopping
 */
export function startPipeline(deps: Deps, dryRun = false): Promise<runs.BackgroundRun> {
  if (deps.supplierFeed === null) {
    throw conflict('FEED_NOT_CONFIGURED', 'XML_FEED_URL is not set')
  }
  return runs.startRun(deps, PIPELINE, async () =>
    openRun(deps, await pipelineRuns.insertRun(deps.db, deps.now(), dryRun)),
  )
}

/**
 * Retries a failed run from the failed stage, with the supplier feed that was downloaded.
 * @throws AppError 404; 409 RUN_NOT_RETRYABLE unless it is the newest run and failed; as startPipeline
 */
export function retryPipeline(deps: Deps, id: number): Promise<runs.BackgroundRun> {
  return runs.startRun(deps, PIPELINE, async () => {
    const run = found(await pipelineRuns.findRun(deps.db, id), 'pipeline run')
    if (run.status !== 'FAILED') throw conflict('RUN_NOT_RETRYABLE', 'Only a failed run can be retried')
    const [newest] = (await pipelineRuns.listRuns(deps.db, { page: 0, size: 1 })).rows
    if (newest?.id !== id)
      throw conflict('RUN_NOT_RETRYABLE', `Only the newest run can be retried, which is ${newest?.id}`)
    return openRun(deps, await pipelineRuns.reopenRun(deps.db, id))
  })
}

function openRun(deps: Deps, { id, attempts, dry_run: dryRun }: XmlPipelineRunRow): runs.OpenRun {
  const { log } = deps
  const run = { id, attempts }
  log.info({ runId: id, attempt: attempts, dryRun }, 'xml pipeline started')
  return {
    id,
    async work(signal) {
      for (const stage of await listOpenStages(deps, id)) await runStage(deps, { ...run, stage, dryRun, signal })
      // Only the retry of a failed run still needs the staged rows.
      await write(deps, async ({ db }) => {
        await pipelineRuns.lockRun(db, run)
        await clearStaging(db)
      })
    },
    lock: (trx) => pipelineRuns.lockRun(trx, run),
    async finish() {
      const warn = (err: unknown) => log.warn({ err, runId: id }, 'xml pipeline not cleaned up')
      await deleteUnusedDownloads(deps, run).catch(warn)
      return {}
    },
  }
}

/** The pending stages, and PARSE again if a crash of PostgreSQL has emptied the staging tables. */
async function listOpenStages({ db }: Deps, runId: number): Promise<Stage[]> {
  const stages = await pipelineRuns.listStages(db, [runId])
  const staged = await countStaged(db, runId)
  const isOpen = ({ stage, status, counts }: XmlPipelineStageRow) =>
    status === 'PENDING' ||
    (stage === 'PARSE' && (staged.offers !== counts.offers || staged.categories !== counts.categories))
  return stages.filter(isOpen).map(({ stage }) => stage)
}

async function runStage(deps: Deps, run: Omit<StageRun, 'report'>): Promise<void> {
  const { log, now } = deps
  const { id: runId, stage, signal } = run
  const startedAt = performance.now()
  let reported = startedAt
  async function report(counts: StageCounts): Promise<void> {
    if (performance.now() - reported < PROGRESS_INTERVAL_MS) return
    reported = performance.now()
    const [done = 0] = Object.values(counts)
    const shown = { ...counts, perSecond: Math.round((done * 1000) / (reported - startedAt)) }
    log.info({ runId, stage, ...shown }, 'xml pipeline progress')
    await write(deps, (tx) => recordStage(tx, run, { counts: JSON.stringify(shown) }))
  }

  signal.throwIfAborted()
  const begun = { status: 'RUNNING', started_at: now(), finished_at: null, counts: '{}' } as const
  await write(deps, (tx) => recordStage(tx, run, begun))
  const counts = await STAGES[stage](deps, { ...run, report })
  log.info({ runId, stage, ...counts }, 'xml pipeline stage finished')
}

/** What staff should look at although a run succeeded, by the counts of its stages. */
export function warningsOf(stages: Pick<XmlPipelineStageRow, 'stage' | 'status' | 'counts'>[]): string[] {
  const countsOf = (name: Stage) => stages.find(({ stage, status }) => stage === name && status === 'SUCCEEDED')?.counts
  const offers = countsOf('PARSE')?.offers
  const matched = countsOf('ATTRIBUTES')?.matched
  if (offers === 0) return ['The feed has no offers']
  if (!offers || matched === undefined || matched * 100 >= offers * MIN_MATCHED_PERCENT) return []
  return [`Only ${matched} of ${offers} offers belong to products of the shop: check the feed's ids`]
}

/** Starts a run, or continues the failed one with this id. */
export async function runPipeline(deps: Deps, actor: Actor, query: PipelineRunQuery, retryId: number | null = null) {
  const { wait, dryRun } = query
  const started = await (retryId === null ? startPipeline(deps, dryRun) : retryPipeline(deps, retryId))
  const after = { retry: retryId !== null, ...(dryRun && { dryRun }) }
  await write(deps, async (tx) => tx.audit({ actor, entity: 'PIPELINE', entityId: started.runId, before: null, after }))
  return runs.answerStarted(started, wait, (id) => getPipelineRun(deps, id))
}

/** Newest first. */
export async function listPipelineRuns({ db }: Deps, query: PageQuery): Promise<Page<PipelineRun>> {
  const page = await pipelineRuns.listRuns(db, query)
  const ids = page.rows.map(({ id }) => id)
  const stages = await pipelineRuns.listStages(db, ids)
  return toPage(page, query, (row) => toRun(row, stages))
}

/** @throws AppError 404 */
export async function getPipelineRun(deps: Deps, id: number): Promise<PipelineRun> {
  return found(await findPipelineRun(deps, id), 'pipeline run')
}

export async function findPipelineRun({ db }: Deps, id: number): Promise<PipelineRun | null> {
  const row = await pipelineRuns.findRun(db, id)
  return row ? toRun(row, await pipelineRuns.listStages(db, [id])) : null
}

function toRun(row: XmlPipelineRunRow, stages: XmlPipelineStageRow[]): PipelineRun {
  const own = stages.filter(({ run_id }) => run_id === row.id)
  return {
    ...runs.toRun(row),
    dryRun: row.dry_run,
    attempts: row.attempts,
    warnings: warningsOf(own),
    stages: own.map((stage) => ({
      stage: stage.stage,
      status: stage.status,
      startedAt: stage.started_at?.toISOString() ?? null,
      finishedAt: stage.finished_at?.toISOString() ?? null,
      durationMs: runs.durationOf(stage),
      counts: stage.counts,
      error: stage.error,
    })),
  }
}
