import { parentPort, workerData } from 'node:worker_threads'
import { createFeedReader } from '../../rules/pipeline/reader.ts'
import type { FeedAnswer, FeedQuestion } from './feed-parser.ts'

// One answer for each question, in their order.
const reader = createFeedReader(Number(workerData))

parentPort?.on('message', (bytes: FeedQuestion) => {
  const found = answer(bytes)
  const batch = 'batch' in found ? found.batch : null
  parentPort?.postMessage(found, batch === null ? [] : [batch.offers.buffer, batch.categories.buffer])
})

function answer(bytes: FeedQuestion): FeedAnswer {
  try {
    return { batch: bytes === null ? reader.end() : reader.write(bytes) }
  } catch (error) {
    if (!(error instanceof Error && error.name === 'FeedError')) throw error
    return { refusal: error.message }
  }
}
