import { parentPort } from 'node:worker_threads'
import { createFeedReader } from '../../rules/pipeline/reader.ts'
import type { FeedChunk } from './feed-parser.ts'

// Each message gets one response, in order; the first error ends the worker.
const read = createFeedReader()

parentPort?.on('message', (bytes: FeedChunk) => {
  parentPort?.postMessage(read(bytes))
})
