import { availableParallelism } from 'node:os'
import type { VariantFormat } from '../../rules/media/formats.ts'
import { createBoundedQueue } from '../concurrency/bounded-queue.ts'
import type { Picture } from './image-processing.ts'

/** Of the four threads that files and names are looked up with, these may take two at most. */
const AT_ONCE = Math.min(2, Math.max(1, availableParallelism() - 1))
const CHECKS = { concurrency: 1, maxWaiting: 100, timeoutMs: 20_000 }
const VARIANTS = { concurrency: AT_ONCE, maxWaiting: 64, timeoutMs: 10_000 }
/** Loaded with the first picture: the library takes 20 MB, and a start needs none of it. */
const work = () => import('./image-processing.ts')

export type ImageWorker = {
  /**
   * What the bytes are, whatever they are called; they are decoded once to know that nothing is missing.
   * @throws AppError 415 for all but the formats that are taken, and what is damaged; 413 for more pixels than are
   * taken, before any is decoded; 503 when too many are waiting
   */
  inspect(bytes: Buffer): Promise<Picture>
  /**
   * A smaller one, never a larger; of an animation the first frame, upright, without EXIF and the like.
   * @param original read when it is its turn
   * @param signal nobody waits for it any more
   * @returns null when there is no original
   * @throws AppError 503 when too many are waiting
   */
  draw(
    original: () => Promise<Buffer | null>,
    width: number,
    format: VariantFormat,
    signal: AbortSignal,
  ): Promise<Buffer | null>
}

/** Decoding and encoding, off the event loop and a few at a time: neither visitors nor staff can take all of it. */
export function createImageWorker(): ImageWorker {
  const checks = createBoundedQueue(CHECKS)
  const variants = createBoundedQueue(VARIANTS)
  return {
    inspect: (bytes) => checks.run(async () => (await work()).inspect(bytes), new AbortController().signal),
    draw: (original, width, format, signal) =>
      variants.run(async () => {
        const bytes = await original()
        return bytes && (await work()).draw(bytes, width, format)
      }, signal),
  }
}
