import { applyAttributes, lockAttributeRules, type Slice } from '../../../db/queries/pipeline/attributes.ts'
import { replaceFeedCategories } from '../../../db/queries/pipeline/categories.ts'
import { enqueueImageless, saveFeedData } from '../../../db/queries/pipeline/images.ts'
import { completeStage } from '../../../db/queries/pipeline/runs.ts'
import * as snapshots from '../../../db/queries/pipeline/snapshots.ts'
import { countStaged } from '../../../db/queries/pipeline/staging.ts'
import type { StageCounts } from '../../../db/tables/pipeline.ts'
import type { Deps } from '../../deps.ts'
import { MAX_INT } from '../../rules/lists.ts'
import { updateMappedCategories } from './categories.ts'
import { downloadedFeed } from './download.ts'
import { applyStage, type PipelineRun, type StageProgress } from './stage.ts'

/** Offers per statement, which takes at most a second. */
const SLICE_SIZE = 5000
const MAX_SNAPSHOTS = 10

/** SNAPSHOT: stores the offers for comparison with later runs. A dry run only compares. */
export async function takeSnapshot(deps: Deps, run: PipelineRun): Promise<StageCounts> {
  const staged = await countStaged(deps.db, run.id)
  const newest = await snapshots.findSnapshotBefore(deps.db, MAX_INT)
  const found = await snapshots.countStagedDifferences(deps.db, run.id, newest?.id ?? null)
  const differences = { new: found.NEW, gone: found.GONE, changed: found.CHANGED }
  const counts = { offers: staged.offers, categories: staged.categories, ...differences }
  if (run.dryRun) {
    await completeStage(deps.db, run, 'SNAPSHOT', counts, 'SKIPPED')
    return counts
  }
  const feed = await downloadedFeed(deps, run.id)
  return applyStage(deps, run, 'SNAPSHOT', async ({ db }) => {
    await snapshots.insertSnapshot(db, run.id, feed, staged)
    await snapshots.deleteOldSnapshots(db, MAX_SNAPSHOTS)
    return counts
  })
}

/** CATEGORY_MAPPING: updates the feed categories, and names and parents of the categories mapped to them. */
export function mapCategories(deps: Deps, run: PipelineRun): Promise<StageCounts> {
  return applyStage(deps, run, 'CATEGORY_MAPPING', async (tx) => {
    await replaceFeedCategories(tx.db, run.id)
    return updateMappedCategories(tx)
  })
}

/** ATTRIBUTES: turns the offers' params into product attributes by the attribute rules. */
export function updateAttributes(
  deps: Deps,
  run: PipelineRun,
  progress: StageProgress,
): Promise<StageCounts> {
  return applyStage(deps, run, 'ATTRIBUTES', async (tx) => {
    await lockAttributeRules(tx.db)
    const counts = { matched: 0, changed: 0 }
    for await (const { slice, seen } of slices(deps, run)) {
      const { matched, changed } = await applyAttributes(tx.db, slice)
      tx.recordChange('product', changed)
      counts.matched += matched
      counts.changed += changed.length
      await progress.report(counts, seen)
    }
    return counts
  })
}

/** IMAGE_QUEUE: stores page and picture URLs, and enqueues active products without images. */
export function enqueueImages(deps: Deps, run: PipelineRun, progress: StageProgress): Promise<StageCounts> {
  return applyStage(deps, run, 'IMAGE_QUEUE', async ({ db }) => {
    const counts = { noted: 0, queued: 0 }
    for await (const { slice, seen } of slices(deps, run)) {
      counts.noted += await saveFeedData(db, slice)
      counts.queued += await enqueueImageless(db, slice)
      await progress.report(counts, seen)
    }
    return counts
  })
}

async function* slices({ db }: Deps, run: PipelineRun): AsyncGenerator<{ slice: Slice; seen: number }> {
  const { lastPosition } = await countStaged(db, run.id)
  for (let from = 1; from <= lastPosition; from += SLICE_SIZE) {
    run.signal.throwIfAborted()
    yield {
      slice: { runId: run.id, from, to: from + SLICE_SIZE },
      seen: Math.min(from + SLICE_SIZE - 1, lastPosition),
    }
  }
}
