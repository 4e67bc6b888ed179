import * as ledger from '../../../db/queries/pipeline/runs.ts'
import { PIPELINE_STAGES, type XmlPipelineStageRow } from '../../../db/tables/pipeline.ts'
import type { Deps } from '../../deps.ts'
import { found } from '../../errors.ts'
import type { Actor } from '../../rules/accounts/roles.ts'
import { warningsOf } from '../../rules/pipeline/warnings.ts'
import { write } from '../../runtime/write.ts'
import { type Page, type PageQuery, toPage } from '../../schemas/lists.ts'
import { PipelineRun, type PipelineRunDetails, PipelineStage } from '../../schemas/pipeline.ts'
import { answerStarted, withDuration } from '../runs.ts'
import { toWire } from '../wire.ts'
import { retryPipeline, startPipeline } from './run.ts'

const MAX_SKIPPED_SHOWN = 1000

/** Starts a run, or continues the failed one with this id. */
export async function runPipeline(deps: Deps, actor: Actor, wait: boolean, retryId: number | null = null) {
  const started = await (retryId === null ? startPipeline(deps) : retryPipeline(deps, retryId))
  const after = { retry: retryId !== null }
  await write(deps, async (tx) =>
    tx.audit({ actor, entity: 'PIPELINE', entityId: started.runId, before: null, after }),
  )
  return answerStarted(started, wait, (id) => getPipelineRun(deps, id))
}

/** Newest first. */
export async function listPipelineRuns({ db }: Deps, query: PageQuery): Promise<Page<PipelineRun>> {
  const page = await ledger.listRuns(db, query)
  const ids = page.rows.map(({ id }) => id)
  const stages = await ledger.listStages(db, ids)
  return toPage(page, query, (row) => toRun(row, stages))
}

/** Returns a run with its skipped offers. @throws AppError 404 */
export async function getPipelineRun({ db }: Deps, id: number): Promise<PipelineRunDetails> {
  const row = found(await ledger.findRun(db, id), 'pipeline run')
  const stages = await ledger.listStages(db, [id])
  const skipped = await ledger.listSkippedOffers(db, id, MAX_SKIPPED_SHOWN)
  return {
    ...toRun(row, stages),
    skippedOffers: skipped.map((offer) => ({ id: offer.offer_id, reason: offer.reason })),
  }
}

/** Finds a run without its skipped offers. */
export async function findPipelineRun({ db }: Deps, id: number): Promise<PipelineRun | null> {
  const row = await ledger.findRun(db, id)
  return row ? toRun(row, await ledger.listStages(db, [id])) : null
}

function toRun(row: ledger.RunWithSnapshot, stages: XmlPipelineStageRow[]): PipelineRun {
  const own = stages.filter(({ run_id }) => run_id === row.id)
  return toWire(PipelineRun, {
    ...withDuration(row),
    warnings: warningsOf(own),
    stages: own
      .sort((a, b) => PIPELINE_STAGES.indexOf(a.stage) - PIPELINE_STAGES.indexOf(b.stage))
      .map((stage) => toWire(PipelineStage, withDuration(stage))),
  })
}
