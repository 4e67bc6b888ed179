import { lockAttributeRules } from '../../../db/queries/pipeline/attribute-rules.ts'
import { replaceFeedCategories } from '../../../db/queries/pipeline/categories.ts'
import { type RunAttempt, type StageValues, updateStage } from '../../../db/queries/pipeline/runs.ts'
import * as snapshots from '../../../db/queries/pipeline/snapshots.ts'
import * as staging from '../../../db/queries/pipeline/staging.ts'
import { enqueueImageless } from '../../../db/queries/scraping/queue.ts'
import type { PipelineStage, StageCounts } from '../../../db/tables/pipeline.ts'
import type { Deps } from '../../deps.ts'
import { retryOnConflict } from '../../runtime/retries.ts'
import { dryRun, type UnitOfWork, write } from '../../runtime/write.ts'
import { updateMappedCategories } from './categories.ts'

/** Offers per statement: with 300 params each it takes 5 of the 20 seconds that it may. */
const SLICE_SIZE = 1000
const MAX_SNAPSHOTS = 10

type StageAttempt = RunAttempt & { stage: PipelineStage }

export type StageRun = StageAttempt & {
  dryRun: boolean
  signal: AbortSignal
  /** Shows the counts so far, and the first one per second, at most every two seconds. */
  report(counts: StageCounts): Promise<void>
}

type StageWork = (tx: UnitOfWork) => Promise<StageCounts>

/** Completes a stage in the transaction of its work, so that it happens once or not at all. */
export function completeStage(deps: Deps, run: StageRun, work: StageWork): Promise<StageCounts> {
  const workAndComplete = async (tx: UnitOfWork): Promise<StageCounts> => {
    const counts = await work(tx)
    run.signal.throwIfAborted()
    await recordStage(tx, run, { status: 'SUCCEEDED', finished_at: deps.now(), counts: JSON.stringify(counts) })
    return counts
  }
  return retryOnConflict(() => write(deps, workAndComplete))
}

/** As completeStage; but a dry run only counts what the work would change. */
async function applyStage(deps: Deps, run: StageRun, work: StageWork): Promise<StageCounts> {
  if (!run.dryRun) return completeStage(deps, run, work)
  const counts = await retryOnConflict(() => dryRun(deps, work))
  return completeStage(deps, run, async () => counts)
}

export async function recordStage(tx: UnitOfWork, run: StageAttempt, values: StageValues): Promise<void> {
  await updateStage(tx.db, run, run.stage, values)
  tx.recordChange('pipelineRun', [run.id])
}

/** SNAPSHOT: stores the offers for comparison with later runs. */
export function takeSnapshot(deps: Deps, run: StageRun): Promise<StageCounts> {
  return applyStage(deps, run, async ({ db }) => {
    const { id, offers, categories } = await snapshots.insertSnapshot(db, run.id)
    const differences = await snapshots.countDifferences(db, id, await snapshots.findPreviousId(db, id))
    await snapshots.deleteOldSnapshots(db, MAX_SNAPSHOTS)
    return { offers, categories, ...differences }
  })
}

/** CATEGORY_MAPPING: updates the feed categories, and names and parents of the categories mapped to them. */
export function mapCategories(deps: Deps, run: StageRun): Promise<StageCounts> {
  return applyStage(deps, run, async (tx) => {
    await replaceFeedCategories(tx.db, run.id)
    return updateMappedCategories(tx)
  })
}

/** ATTRIBUTES: turns the offers' params into product attributes by the attribute rules. */
export function updateAttributes(deps: Deps, run: StageRun): Promise<StageCounts> {
  return applyStage(deps, run, async (tx) => {
    await lockAttributeRules(tx.db)
    const counts = { matched: 0, changed: 0 }
    for await (const slice of slices(deps, run)) {
      const { matched, changed } = await staging.applyAttributes(tx.db, slice)
      tx.recordChange('product', changed)
      counts.matched += matched
      counts.changed += changed.length
      await run.report(counts)
    }
    return counts
  })
}

/** IMAGE_QUEUE: stores page and picture URLs, and enqueues active products without images. */
export function enqueueImages(deps: Deps, run: StageRun): Promise<StageCounts> {
  return applyStage(deps, run, async ({ db }) => {
    const counts = { noted: 0, queued: 0 }
    for await (const slice of slices(deps, run)) {
      counts.noted += await staging.saveSupplierFeedUrls(db, slice)
      await run.report(counts)
    }
    counts.queued = await enqueueImageless(db, 'listed')
    return counts
  })
}

async function* slices({ db }: Deps, run: StageRun): AsyncGenerator<staging.Slice> {
  const { lastPosition } = await staging.countStaged(db, run.id)
  for (let from = 1; from <= lastPosition; from += SLICE_SIZE) {
    run.signal.throwIfAborted()
    yield { runId: run.id, from, to: from + SLICE_SIZE }
  }
}
