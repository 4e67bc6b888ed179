import { on } from 'node:events'
import { Worker } from 'node:worker_threads'
import { SupplierFeedError } from '../../errors.ts'
import type { SupplierFeedBatch } from '../../rules/pipeline/reader.ts'

/** The next chunk of the supplier feed; null: its end. */
export type SupplierFeedChunk = Uint8Array | null

/** Enough for an offer of one megabyte, which takes a hundred. */
const MEMORY = { maxOldGenerationSizeMb: 160, maxYoungGenerationSizeMb: 16 }

/**
 * Parses a feed in a worker thread, since it would block the event loop.
 * @param chunks bytes of the supplier feed
 * @param contentType with which it was served
 * @throws SupplierFeedError when the supplier feed is malformed; the error of the chunks; an AbortError
 */
export async function* readSupplierFeed(
  chunks: AsyncIterable<Uint8Array>,
  contentType: string | null,
  signal: AbortSignal,
): AsyncGenerator<SupplierFeedBatch> {
  const options = { resourceLimits: MEMORY, workerData: contentType }
  const worker = new Worker(new URL('./supplier-feed-parser-worker.ts', import.meta.url), options)
  // Rejects when the worker fails, and when the signal is aborted, however busy the worker is.
  const results = on(worker, 'message', { close: ['exit'], signal })

  async function parse(chunk: SupplierFeedChunk): Promise<SupplierFeedBatch> {
    // Posting part of a shared buffer would copy all of it.
    worker.postMessage(chunk && new Uint8Array(chunk))
    const { value, done } = await results.next()
    if (done) throw new Error('The feed parser exited')
    return value[0]
  }

  try {
    for await (const chunk of chunks) yield await parse(chunk)
    yield await parse(null)
  } catch (error) {
    // Threads lose the class of an error.
    throw error instanceof Error && error.name === 'SupplierFeedError' ? new SupplierFeedError(error.message) : error
  } finally {
    await worker.terminate()
  }
}
