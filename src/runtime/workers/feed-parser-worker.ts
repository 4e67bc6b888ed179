import { parentPort } from 'node:worker_threads'
import { createFeedReader } from '../../rules/pipeline/reader.ts'
import type { FeedChunk, FeedResult } from './feed-parser.ts'

// Each message gets one response, in order.
const read = createFeedReader()

parentPort?.on('message', (bytes: FeedChunk) => {
  parentPort?.postMessage(parse(bytes))
})

function parse(bytes: FeedChunk): FeedResult {
  try {
    return { batch: read(bytes) }
  } catch (error) {
    if (!(error instanceof Error && error.name === 'FeedError')) throw error
    return { error: error.message }
  }
}
