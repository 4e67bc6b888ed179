import { createHash } from 'node:crypto'
import { pipeline, Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { createGzip } from 'node:zlib'
import * as ledger from '../../../db/queries/pipeline/runs.ts'
import { listSnapshotKeys } from '../../../db/queries/pipeline/snapshots.ts'
import type { StageCounts } from '../../../db/tables/pipeline.ts'
import type { Deps } from '../../deps.ts'
import { FeedError } from '../../errors.ts'
import { applyStage, type StageRun } from './stages.ts'

const FOLDER = 'xml-feed/'

const keyOf = ({ id, attempts }: ledger.RunAttempt) => `${FOLDER}run-${id}-${attempts}.xml.gz`

/** Whether the download belongs to an earlier attempt than this one. */
function isEarlier(key: string, run: ledger.RunAttempt): boolean {
  const [id = 0, attempts = 0] = (/run-(\d+)-(\d+)/.exec(key) ?? []).slice(1).map(Number)
  return id < run.id || (id === run.id && attempts < run.attempts)
}

/** DOWNLOAD: stores the feed, compressed as it arrives to about a tenth. */
export async function download(deps: Deps, run: StageRun): Promise<StageCounts> {
  const { storage, xmlFeed } = deps
  if (xmlFeed === null) throw new FeedError('XML_FEED_URL is not set')
  const key = keyOf(run)
  const hash = createHash('sha256')
  let size = 0
  async function* hashed(feed: Readable): AsyncGenerator<Buffer> {
    for await (const chunk of feed) {
      hash.update(chunk)
      size += chunk.length
      await run.report({ bytes: size })
      yield chunk
    }
    if (size === 0) throw new FeedError('The feed is empty')
  }
  const feed = Readable.from(hashed(await xmlFeed.open(run.signal)), { objectMode: false })
  const compressed = await buffer(pipeline(feed, createGzip({ level: 1 }), () => {}))
  await storage.put(key, compressed, { contentType: 'application/gzip' })
  const sha256 = hash.digest('hex')
  return applyStage(deps, run, async ({ db }) => {
    await ledger.recordDownload(db, run.id, { storage_key: key, sha256, size })
    return { bytes: size }
  })
}

/**
 * Deletes downloads of no snapshot and of no run that can be retried. Later downloads remain: they are of a process that
 * has taken this one for dead.
 */
export async function deleteUnusedDownloads({ db, storage }: Deps, run: ledger.RunAttempt): Promise<void> {
  const newest = await ledger.findNewestRun(db)
  const used = new Set(await listSnapshotKeys(db))
  if (newest?.status !== 'SUCCEEDED' && newest?.storage_key) used.add(newest.storage_key)
  const unused: string[] = []
  for await (const { key } of storage.list(FOLDER)) {
    if (!used.has(key) && (key === keyOf(run) || isEarlier(key, run))) unused.push(key)
  }
  if (unused.length > 0) await storage.delete(unused)
}
