import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import { FeedError } from '../../errors.ts'
import type { FeedBatch } from '../../rules/pipeline/reader.ts'

/** The next bytes of the feed; null: its end. */
export type FeedQuestion = Uint8Array | null
export type FeedAnswer = { batch: FeedBatch | null } | { refusal: string }

/** Elements of a batch: one statement's work. */
const BATCH = 500
/** Pieces on their way to the reader or back. */
const AHEAD = 4
/** Most of it is what is thrown away at once; an offer of a megabyte needs a hundred. */
const MEMORY = { maxOldGenerationSizeMb: 160, maxYoungGenerationSizeMb: 16 }

/**
 * Reads a feed in a thread of its own: at ten thousand offers a second, requests would have to wait behind them.
 * @param chunks the feed's bytes, in pieces that are a few milliseconds' work each
 * @throws FeedError when it is malformed; what reading the bytes throws
 */
export async function* readFeed(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<FeedBatch> {
  const worker = new Worker(new URL('./feed-parser-worker.ts', import.meta.url), {
    workerData: BATCH,
    resourceLimits: MEMORY,
  })
  const died = once(worker, 'exit').then(
    () => Promise.reject(new Error('The reader of the feed has ended')),
    (error: unknown) => Promise.reject(error),
  )
  died.catch(() => {})
  const answers: FeedAnswer[] = []
  let arrived = Promise.withResolvers<void>()
  worker.on('message', (answer: FeedAnswer) => {
    answers.push(answer)
    arrived.resolve()
  })

  let asked = 0
  function ask(question: FeedQuestion): void {
    asked += 1
    if (question === null) worker.postMessage(null)
    else worker.postMessage(...given(question))
  }
  async function answer(): Promise<FeedBatch | null> {
    while (answers.length === 0) {
      arrived = Promise.withResolvers()
      await Promise.race([arrived.promise, died])
    }
    const next = answers.shift()
    asked -= 1
    if (next === undefined) return null
    if ('refusal' in next) throw new FeedError(next.refusal)
    return next.batch
  }

  try {
    for await (const chunk of chunks) {
      ask(chunk)
      const batch = asked < AHEAD ? null : await answer()
      if (batch !== null) yield batch
    }
    ask(null)
    while (asked > 0) {
      const batch = await answer()
      if (batch !== null) yield batch
    }
  } finally {
    await worker.terminate()
  }
}

/** The bytes, and what of them goes over for good: a part of a buffer may be part of something that is used again. */
function given(bytes: Uint8Array): [Uint8Array, ArrayBuffer[]] {
  const { buffer } = bytes
  if (buffer instanceof ArrayBuffer && bytes.byteLength === buffer.byteLength) return [bytes, [buffer]]
  const copy = new Uint8Array(bytes)
  return [copy, [copy.buffer]]
}
