import type { VariantFormat } from '../../rules/media/formats.ts'
import { createBoundedQueue } from '../concurrency/bounded-queue.ts'
import { type Callers, createFairQueue } from '../concurrency/fair-queue.ts'
import type { ImageInfo } from './image-processing.ts'

const INSPECTIONS = { concurrency: 1, maxWaiting: 100, timeoutMs: 20_000 }
/** libuv has four threads, two of which stay free for files and DNS; one address never takes both of the others. */
const VARIANTS = {
  concurrency: 2,
  maxWaiting: 256,
  timeoutMs: 10_000,
  perCaller: { concurrency: 1, maxWaiting: 64 },
}
/** Imported with the first image, since the library takes 20 MB. */
const processing = () => import('./image-processing.ts')

export type ImageWorker = {
  /**
   * Detects the format and decodes the image to verify that it is complete.
   * @throws AppError 415 for an unsupported format or a damaged image; 413 for too many pixels, before any is decoded;
   *   503 when too many images are waiting
   */
  inspect(bytes: Buffer): Promise<ImageInfo>
  /**
   * Draws a variant, never enlarged and without metadata; of an animation the first frame.
   * @param original reads the original, once its turn in the queue has come
   * @param callers addresses of the clients that wait for it; none: it is drawn when no client waits for any
   * @param signal aborted when all of them have closed their requests
   * @returns null when there is no original
   * @throws AppError 429 when too many variants for an address are waiting; 503 when too many are in all
   */
  draw(
    original: () => Promise<Buffer | null>,
    width: number,
    format: VariantFormat,
    callers: Callers,
    signal: AbortSignal,
  ): Promise<Buffer | null>
}

/** Decodes and encodes off the event loop, with a bounded queue each for uploads and variants. */
export function createImageWorker(): ImageWorker {
  const inspections = createBoundedQueue(INSPECTIONS)
  const variants = createFairQueue(VARIANTS)
  return {
    inspect: (bytes) =>
      inspections.run(async () => (await processing()).inspect(bytes), new AbortController().signal),
    draw: (original, width, format, callers, signal) =>
      variants.run(
        async () => {
          const bytes = await original()
          return bytes && (await processing()).draw(bytes, width, format)
        },
        callers,
        signal,
      ),
  }
}
