import { parentPort, workerData } from 'node:worker_threads'
import { createSupplierFeedReader } from '../../rules/pipeline/reader.ts'
import type { SupplierFeedChunk } from './supplier-feed-parser.ts'

// Each message gets one response, in order; the first error ends the worker.
const read = createSupplierFeedReader(workerData)

parentPort?.on('message', (bytes: SupplierFeedChunk) => {
  parentPort?.postMessage(read(bytes))
})
