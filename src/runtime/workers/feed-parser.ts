import { on } from 'node:events'
import { Worker } from 'node:worker_threads'
import { FeedError } from '../../errors.ts'
import type { FeedBatch } from '../../rules/pipeline/reader.ts'

/** The next chunk of the feed; null: its end. */
export type FeedChunk = Uint8Array | null
export type FeedResult = { batch: FeedBatch | null } | { error: string }

/** Elements per batch, which one statement writes. */
const BATCH_SIZE = 500
/** Chunks sent to the worker and not yet answered. */
const MAX_IN_FLIGHT = 4
/** Enough for an offer of one megabyte, which takes a hundred. */
const MEMORY = { maxOldGenerationSizeMb: 160, maxYoungGenerationSizeMb: 16 }

/**
 * Parses a feed in a worker thread, since it would block the event loop.
 * @param chunks bytes of the feed, each a few milliseconds of work
 * @throws FeedError when the feed is malformed; the error of the chunks
 */
export async function* readFeed(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<FeedBatch> {
  const worker = new Worker(new URL('./feed-parser-worker.ts', import.meta.url), {
    workerData: BATCH_SIZE,
    resourceLimits: MEMORY,
  })
  // Rejects when the worker fails.
  const results = on(worker, 'message', { close: ['exit'] })

  let inFlight = 0
  function send(chunk: FeedChunk): void {
    inFlight += 1
    // Posting part of a shared buffer would copy all of it.
    worker.postMessage(chunk && new Uint8Array(chunk))
  }
  async function nextBatch(): Promise<FeedBatch | null> {
    const { value, done } = await results.next()
    if (done) throw new Error('The feed parser exited')
    const result: FeedResult = value[0]
    inFlight -= 1
    if ('error' in result) throw new FeedError(result.error)
    return result.batch
  }

  try {
    for await (const chunk of chunks) {
      send(chunk)
      const batch = inFlight < MAX_IN_FLIGHT ? null : await nextBatch()
      if (batch !== null) yield batch
    }
    send(null)
    while (inFlight > 0) {
      const batch = await nextBatch()
      if (batch !== null) yield batch
    }
  } finally {
    await worker.terminate()
  }
}
