import { createHash } from 'node:crypto'
import { pipeline, Readable } from 'node:stream'
import { createGzip } from 'node:zlib'
import * as ledger from '../../../db/queries/pipeline/runs.ts'
import { listSnapshotKeys } from '../../../db/queries/pipeline/snapshots.ts'
import type { StageCounts } from '../../../db/tables/pipeline.ts'
import { FeedError } from '../../errors.ts'
import type { PipelineDeps, PipelineRun, StageProgress } from './stage.ts'

const FOLDER = 'xml-feed/'

/** DOWNLOAD: streams the feed, compressed, into the storage. */
export async function download(
  deps: PipelineDeps,
  run: PipelineRun,
  progress: StageProgress,
): Promise<StageCounts> {
  const { db, storage, xmlFeed } = deps
  if (xmlFeed === null) throw new FeedError('XML_FEED_URL is not set')
  const { attempts } = await findRun(deps, run.id)
  const key = `${FOLDER}run-${run.id}-${attempts}.xml.gz`
  const hash = createHash('sha256')
  let size = 0
  async function* hashed(feed: Readable): AsyncGenerator<Buffer> {
    for await (const chunk of feed) {
      hash.update(chunk)
      size += chunk.length
      await progress.report({ bytes: size }, size)
      yield chunk
    }
    if (size === 0) throw new FeedError('The feed is empty')
  }
  const feed = Readable.from(hashed(await xmlFeed.open(run.signal)), { objectMode: false })
  const compressed = pipeline(feed, createGzip({ level: 1 }), () => {})
  await storage.put(key, compressed, { contentType: 'application/gzip' })
  run.signal.throwIfAborted()
  await ledger.recordDownload(db, run.id, { storage_key: key, sha256: hash.digest('hex'), size })
  return { bytes: size }
}

export async function downloadedFeed(
  deps: Pick<PipelineDeps, 'db'>,
  runId: number,
): Promise<ledger.DownloadedFeed> {
  const { storage_key, sha256, size } = await findRun(deps, runId)
  if (storage_key === null || sha256 === null || size === null) throw new Error('Nothing was downloaded')
  return { storage_key, sha256, size }
}

async function findRun({ db }: Pick<PipelineDeps, 'db'>, id: number) {
  const row = await ledger.findRun(db, id)
  if (row === undefined) throw new Error('The run has been deleted')
  return row
}

/** Deletes downloads of no snapshot and of no run that can be retried. Requires the pipeline's lock. */
export async function deleteUnusedDownloads({ db, storage }: PipelineDeps): Promise<void> {
  const newest = await ledger.findNewestRun(db)
  const used = new Set(await listSnapshotKeys(db))
  if (newest?.status !== 'SUCCEEDED' && newest?.storage_key) used.add(newest.storage_key)
  const unused: string[] = []
  for await (const { key } of storage.list(FOLDER)) if (!used.has(key)) unused.push(key)
  if (unused.length > 0) await storage.delete(unused)
}
