import { applyAttributes, type Slice } from '../../../db/queries/pipeline/attributes.ts'
import { replaceFeedCategories } from '../../../db/queries/pipeline/categories.ts'
import { enqueueImageless, noteFeedData } from '../../../db/queries/pipeline/images.ts'
import { completeStage } from '../../../db/queries/pipeline/runs.ts'
import * as snapshots from '../../../db/queries/pipeline/snapshots.ts'
import { measureStaged } from '../../../db/queries/pipeline/staging.ts'
import type { StageCounts } from '../../../db/tables/pipeline.ts'
import { placeAll } from './categories.ts'
import { downloadedFeed } from './download.ts'
import { applyStage, type PipelineDeps, type PipelineRun, type StageProgress } from './stage.ts'

/** Offers of one statement: it takes a second at most. */
const SLICE = 5000
const KEPT_SNAPSHOTS = 10

/** SNAPSHOT: keeps what was read, to be compared with what comes next. A dry run only compares. */
export async function snapshot(deps: PipelineDeps, run: PipelineRun): Promise<StageCounts> {
  const staged = await measureStaged(deps.db, run.id)
  const newest = await snapshots.findSnapshotBefore(deps.db, LAST)
  const found = await snapshots.countStagedDifferences(deps.db, run.id, newest?.id ?? null)
  const differences = { new: found.NEW, gone: found.GONE, changed: found.CHANGED }
  const counts = { offers: staged.offers, categories: staged.categories, ...differences }
  if (run.dryRun) {
    await completeStage(deps.db, run.id, 'SNAPSHOT', counts, 'SKIPPED')
    return counts
  }
  const feed = await downloadedFeed(deps, run.id)
  return applyStage(deps, run, 'SNAPSHOT', async ({ db }) => {
    await snapshots.insertSnapshot(db, run.id, feed, staged)
    await snapshots.deleteOldSnapshots(db, KEPT_SNAPSHOTS)
    return counts
  })
}

const LAST = 2_147_483_647

/** CATEGORY_MAPPING: the feed's categories, and name and place of ours that are mapped to them. */
export function mapCategories(deps: PipelineDeps, run: PipelineRun): Promise<StageCounts> {
  return applyStage(deps, run, 'CATEGORY_MAPPING', async (tx) => {
    await replaceFeedCategories(tx.db, run.id)
    return placeAll(tx)
  })
}

/** ATTRIBUTES: the params of the offers, by the rules, become attributes of the products with their ids. */
export function attributes(
  deps: PipelineDeps,
  run: PipelineRun,
  progress: StageProgress,
): Promise<StageCounts> {
  return applyStage(deps, run, 'ATTRIBUTES', async (tx) => {
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

/** IMAGE_QUEUE: notes where the products' images are, and asks for those of active products that have none. */
export function queueImages(
  deps: PipelineDeps,
  run: PipelineRun,
  progress: StageProgress,
): Promise<StageCounts> {
  return applyStage(deps, run, 'IMAGE_QUEUE', async ({ db }) => {
    const counts = { noted: 0, queued: 0 }
    for await (const { slice, seen } of slices(deps, run)) {
      counts.noted += await noteFeedData(db, slice)
      counts.queued += await enqueueImageless(db, slice)
      await progress.report(counts, seen)
    }
    return counts
  })
}

async function* slices(
  { db }: PipelineDeps,
  run: PipelineRun,
): AsyncGenerator<{ slice: Slice; seen: number }> {
  const { last } = await measureStaged(db, run.id)
  for (let from = 1; from <= last; from += SLICE) {
    run.signal.throwIfAborted()
    yield { slice: { runId: run.id, from, to: from + SLICE }, seen: Math.min(from + SLICE - 1, last) }
  }
}
