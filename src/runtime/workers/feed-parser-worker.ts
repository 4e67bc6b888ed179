import { parentPort, workerData } from 'node:worker_threads'
import { createFeedReader } from '../../rules/pipeline/reader.ts'
import type { FeedChunk, FeedResult } from './feed-parser.ts'

// Each message gets one response, in order.
const reader = createFeedReader(Number(workerData))

parentPort?.on('message', (bytes: FeedChunk) => {
  const result = parse(bytes)
  const batch = 'batch' in result ? result.batch : null
  parentPort?.postMessage(result, batch === null ? [] : [batch.offers.buffer, batch.categories.buffer])
})

function parse(bytes: FeedChunk): FeedResult {
  try {
    return { batch: bytes === null ? reader.end() : reader.write(bytes) }
  } catch (error) {
    if (!(error instanceof Error && error.name === 'FeedError')) throw error
    return { error: error.message }
  }
}
