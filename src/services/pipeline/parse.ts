import { pipeline, type Readable } from 'node:stream'
import { createGunzip } from 'node:zlib'
import * as ledger from '../../../db/queries/pipeline/runs.ts'
import * as staging from '../../../db/queries/pipeline/staging.ts'
import type { StageCounts } from '../../../db/tables/pipeline.ts'
import { FeedError } from '../../errors.ts'
import { createFeedCutter, type Piece } from '../../rules/pipeline/cutter.ts'
import { createFeedDecoder } from '../../rules/pipeline/encoding.ts'
import {
  type FeedCategory,
  type FeedOffer,
  type Reading,
  readCategory,
  readOffer,
} from '../../rules/pipeline/offers.ts'
import { beginningOf } from '../../rules/text.ts'
import { downloadedFeed } from './download.ts'
import type { PipelineDeps, PipelineRun, StageProgress } from './stage.ts'

/** Offers of one statement; while it is under way the next ones are read. */
const BATCH = 1000
/** Bytes of one turn of the event loop: some milliseconds of work. */
const CHUNK_BYTES = 64 * 1024
/** More skipped offers are counted and not kept. */
const MOST_SKIPPED_KEPT = 10_000
const LONGEST_REASON = 300

/**
 * PARSE: reads the stored feed into the staging tables. Of all that the shop shows nothing has changed when it fails.
 * @throws FeedError when the feed is malformed, or more of its offers than not
 */
export async function parse(
  deps: PipelineDeps,
  run: PipelineRun,
  progress: StageProgress,
): Promise<StageCounts> {
  const { db, storage } = deps
  const { storage_key } = await downloadedFeed(deps, run.id)
  const object = await storage.open(storage_key)
  if (object === null) throw new FeedError('The downloaded feed is no longer stored; start a new run')
  const feed = pipeline(object.body, createGunzip({ chunkSize: CHUNK_BYTES }), () => {})
  await staging.clearStaging(db)
  await ledger.clearSkippedOffers(db, run.id)
  const collector = createCollector(deps, run.id)
  try {
    for await (const pieces of piecesOf(feed)) {
      run.signal.throwIfAborted()
      for (const piece of pieces) collector.add(piece)
      if (collector.full()) await collector.flush()
      const { offers, categories, skipped } = collector.counts
      await progress.report({ offers, categories, skipped }, offers)
    }
    await collector.flush()
  } finally {
    await collector.written()
  }
  const { offers: read, skipped, skippedOffers } = collector.counts
  if (skippedOffers > read) {
    const first = collector.firstReason()
    throw new FeedError(`${skippedOffers} of ${read + skippedOffers} offers can't be read: ${first}`)
  }
  await staging.analyzeStaged(db)
  const { offers, categories } = await staging.measureStaged(db, run.id)
  return { offers, categories, skipped, duplicates: read - offers, perSecond: progress.perSecond(read) }
}

async function* piecesOf(feed: Readable): AsyncGenerator<Piece[]> {
  const decoder = createFeedDecoder()
  const cutter = createFeedCutter()
  for await (const chunk of feed) yield cutter.write(decoder.write(chunk))
  yield cutter.write(decoder.end())
  cutter.end()
}

/** Reads pieces and stages what they hold, one statement behind. */
function createCollector({ db }: Pick<PipelineDeps, 'db'>, runId: number) {
  const counts = { offers: 0, categories: 0, skipped: 0, skippedOffers: 0 }
  // Twice in one statement would be an error; the later one counts.
  let offers = new Map<string, FeedOffer>()
  let categories = new Map<string, FeedCategory>()
  let skipped: ledger.SkippedOffer[] = []
  let first = ''
  let writing: Promise<void> = Promise.resolve()

  function skip(piece: Piece, id: string | null, reason: string): void {
    if (counts.skipped < MOST_SKIPPED_KEPT) skipped.push({ id, reason: beginningOf(reason, LONGEST_REASON) })
    counts.skipped += 1
    if (piece.element !== 'offer') return
    counts.skippedOffers += 1
    first ||= reason
  }

  function add(piece: Piece): void {
    if (piece.reason !== null) skip(piece, piece.id, piece.reason)
    else if (piece.element === 'offer') addOffer(piece, readOffer(piece.xml))
    else addCategory(piece, readCategory(piece.xml))
  }

  function addOffer(piece: Piece, read: Reading<FeedOffer>): void {
    if (read.reason === null) {
      offers.set(read.value.id, read.value)
      counts.offers += 1
    } else skip(piece, read.id, read.reason)
  }

  function addCategory(piece: Piece, read: Reading<FeedCategory>): void {
    if (read.reason === null) {
      categories.set(read.value.id, read.value)
      counts.categories += 1
    } else skip(piece, read.id, read.reason)
  }

  async function write(): Promise<void> {
    const batch = { offers: [...offers.values()], categories: [...categories.values()], skipped }
    const from = { offers: counts.offers - batch.offers.length, categories: counts.categories }
    offers = new Map()
    categories = new Map()
    skipped = []
    if (batch.offers.length > 0) await staging.stageOffers(db, runId, batch.offers, from.offers)
    if (batch.categories.length > 0) {
      await staging.stageCategories(db, runId, batch.categories, from.categories - batch.categories.length)
    }
    if (batch.skipped.length > 0) await ledger.insertSkippedOffers(db, runId, batch.skipped)
  }

  async function flush(): Promise<void> {
    await writing
    writing = write()
    // Whoever waits for it next hears of it.
    writing.catch(() => {})
  }

  return {
    counts,
    add,
    flush,
    full: () => offers.size + categories.size + skipped.length >= BATCH,
    firstReason: () => first,
    written: () => writing,
  }
}
