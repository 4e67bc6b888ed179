import { createHash } from 'node:crypto'
import { pipeline, Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { createGunzip, createGzip } from 'node:zlib'
import * as pipelineRuns from '../../../db/queries/pipeline/runs.ts'
import { listNeededDownloads } from '../../../db/queries/pipeline/snapshots.ts'
import * as staging from '../../../db/queries/pipeline/staging.ts'
import type { StageCounts } from '../../../db/tables/pipeline.ts'
import type { Deps } from '../../deps.ts'
import { SupplierFeedError } from '../../errors.ts'
import type { SupplierFeedBatch, SupplierFeedCounts } from '../../rules/pipeline/reader.ts'
import { readSupplierFeed } from '../../runtime/workers/supplier-feed-parser.ts'
import { write } from '../../runtime/write.ts'
import { completeStage, type StageRun } from './stages.ts'

const CHUNK_BYTES = 256 * 1024
/** Bounds the memory of a download, which stays compressed. A real supplier feed of 500 MB takes about 50. */
const MAX_COMPRESSED_MB = 100
const FOLDER = 'xml-feed/'
/** Skipped offers and categories that the log names; further ones are only counted. */
const MAX_NAMED = 20

const keyOf = ({ id, attempts }: pipelineRuns.RunAttempt) => `${FOLDER}run-${id}-${attempts}.xml.gz`

/** DOWNLOAD: stores the supplier feed, compressed as it arrives to about a tenth. */
export async function download(deps: Deps, run: StageRun): Promise<StageCounts> {
  const { storage, supplierFeed } = deps
  if (supplierFeed === null) throw new SupplierFeedError('XML_FEED_URL is not set')
  const key = keyOf(run)
  const hash = createHash('sha256')
  let size = 0
  let contentType: string | undefined
  async function* hashed(feed: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
    for await (const chunk of feed) {
      hash.update(chunk)
      size += chunk.length
      await run.report({ bytes: size })
      yield chunk
    }
    if (size === 0) throw new SupplierFeedError('The feed is empty')
  }
  const received = supplierFeed.read(run.signal, (type) => {
    contentType = type
  })
  const feed = Readable.from(hashed(received), { objectMode: false })
  const compressed = pipeline(feed, createGzip({ level: 1 }), () => {})
  await storage.put(key, await buffer(limited(compressed)), { contentType: 'application/gzip' })
  const sha256 = hash.digest('hex')
  return completeStage(deps, run, async ({ db }) => {
    await pipelineRuns.recordDownload(db, run.id, { storage_key: key, sha256, size, content_type: contentType })
    return { bytes: size }
  })
}

async function* limited(compressed: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let size = 0
  for await (const chunk of compressed) {
    size += chunk.length
    if (size > MAX_COMPRESSED_MB * 1024 * 1024) {
      throw new SupplierFeedError(`The feed takes more than ${MAX_COMPRESSED_MB} MB even when compressed`)
    }
    yield chunk
  }
}

/**
 * Deletes downloads that belong to no snapshot and that no retry needs. Later ones stay: another process has made them after
 * it recorded this run as failed.
 */
export async function deleteUnusedDownloads({ db, storage }: Deps, run: pipelineRuns.RunAttempt): Promise<void> {
  const used = new Set(await listNeededDownloads(db))
  const isLater = (key: string) => key.localeCompare(keyOf(run), 'en', { numeric: true }) > 0
  const keys = (await Array.fromAsync(storage.list(FOLDER))).map(({ key }) => key)
  await storage.delete(keys.filter((key) => !used.has(key) && !isLater(key)))
}

/**
 * PARSE: reads the stored supplier feed into the staging tables.
 * @throws SupplierFeedError when the supplier feed is malformed, or most of its offers are
 */
export async function parse(deps: Deps, run: StageRun): Promise<StageCounts> {
  const { db, storage, log } = deps
  const { storage_key: key = null, content_type: contentType = null } = (await pipelineRuns.findRun(db, run.id)) ?? {}
  const stored = key && (await storage.open(key))
  if (!stored) throw new SupplierFeedError('The downloaded feed has been deleted from the storage; start a new run')
  const feed = pipeline(stored, createGunzip({ chunkSize: CHUNK_BYTES }), () => {})
  await write(deps, async (tx) => {
    await pipelineRuns.lockRun(tx.db, run)
    await staging.clearStaging(tx.db)
  })

  let read: SupplierFeedCounts = { offers: 0, categories: 0, skipped: 0, skippedOffers: 0 }
  const first: SupplierFeedBatch['skipped'] = []
  let fault: string | undefined
  for await (const batch of readSupplierFeed(feed, contentType, run.signal)) {
    await write(deps, async (tx) => {
      await pipelineRuns.lockRun(tx.db, run)
      await staging.stageOffers(tx.db, run.id, batch.offers)
      await staging.stageCategories(tx.db, run.id, batch.categories)
    })
    read = batch.counts
    first.push(...batch.skipped.slice(0, MAX_NAMED - first.length))
    fault ??= batch.skipped.find(({ element }) => element === 'offer')?.reason
    const { skippedOffers: _, ...shown } = read
    await run.report(shown)
  }
  if (read.skipped > 0) log.warn({ runId: run.id, skipped: read.skipped, first }, 'supplier feed offers skipped')
  if (read.skippedOffers > read.offers) {
    const total = read.offers + read.skippedOffers
    throw new SupplierFeedError(`${read.skippedOffers} of ${total} offers can't be read; the first: ${fault}`)
  }
  await staging.analyzeStaged(db)
  const { offers, categories } = await staging.countStaged(db, run.id)
  const counts = { offers, categories, skipped: read.skipped, duplicates: read.offers - offers }
  return completeStage(deps, run, async () => counts)
}
