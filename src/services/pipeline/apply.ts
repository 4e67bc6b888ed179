import { applyAttributes, lockAttributeRules, type Slice } from '../../../db/queries/pipeline/attributes.ts'
import { replaceFeedCategories } from '../../../db/queries/pipeline/categories.ts'
import { saveFeedData } from '../../../db/queries/pipeline/images.ts'
import * as snapshots from '../../../db/queries/pipeline/snapshots.ts'
import { countStaged } from '../../../db/queries/pipeline/staging.ts'
import { enqueueImageless } from '../../../db/queries/scraping/queue.ts'
import type { StageCounts } from '../../../db/tables/pipeline.ts'
import type { Deps } from '../../deps.ts'
import { updateMappedCategories } from './categories.ts'
import { downloadedFeed } from './download.ts'
import { applyStage, type PipelineRun, type ReportProgress } from './stage.ts'

/** Offers per statement, which takes at most a second. */
const SLICE_SIZE = 5000
const MAX_SNAPSHOTS = 10

/** SNAPSHOT: stores the offers for comparison with later runs. */
export async function takeSnapshot(deps: Deps, run: PipelineRun): Promise<StageCounts> {
  const { offers, categories } = await countStaged(deps.db, run.id)
  const feed = await downloadedFeed(deps, run.id)
  return applyStage(deps, run, 'SNAPSHOT', async ({ db }) => {
    const id = await snapshots.insertSnapshot(db, run.id, feed, { offers, categories })
    const before = await snapshots.findSnapshotBefore(db, id)
    const found = await snapshots.countDifferences(db, id, before?.id ?? null)
    await snapshots.deleteOldSnapshots(db, MAX_SNAPSHOTS)
    return { offers, categories, new: found.NEW, gone: found.GONE, changed: found.CHANGED }
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
export function updateAttributes(deps: Deps, run: PipelineRun, report: ReportProgress): Promise<StageCounts> {
  return applyStage(deps, run, 'ATTRIBUTES', async (tx) => {
    await lockAttributeRules(tx.db)
    const counts = { matched: 0, changed: 0 }
    for await (const slice of slices(deps, run)) {
      const { matched, changed } = await applyAttributes(tx.db, slice)
      tx.recordChange('product', changed)
      counts.matched += matched
      counts.changed += changed.length
      await report(counts)
    }
    return counts
  })
}

/** IMAGE_QUEUE: stores page and picture URLs, and enqueues active products without images. */
export function enqueueImages(deps: Deps, run: PipelineRun, report: ReportProgress): Promise<StageCounts> {
  return applyStage(deps, run, 'IMAGE_QUEUE', async ({ db }) => {
    const counts = { noted: 0, queued: 0 }
    for await (const slice of slices(deps, run)) {
      counts.noted += await saveFeedData(db, slice)
      await report(counts)
    }
    counts.queued = await enqueueImageless(db, 'listed')
    return counts
  })
}

async function* slices({ db }: Deps, run: PipelineRun): AsyncGenerator<Slice> {
  const { lastPosition } = await countStaged(db, run.id)
  for (let from = 1; from <= lastPosition; from += SLICE_SIZE) {
    run.signal.throwIfAborted()
    yield { runId: run.id, from, to: from + SLICE_SIZE }
  }
}
