import type { VariantFormat } from '../../rules/media/formats.ts'
import { createBoundedQueue, createKeyedQueue } from '../concurrency/bounded-queue.ts'

const INSPECTIONS = { concurrency: 1, maxWaiting: 100, timeoutMs: 20_000 }
/** libuv has four threads, two of which stay free for files and DNS. */
const VARIANTS = { concurrency: 2, maxWaiting: 256, timeoutMs: 10_000 }
const VARIANTS_PER_ADDRESS = { concurrency: 1, maxWaiting: 64 }
/** Imported with the first image, since the library takes 20 MB. */
const processing = () => import('./image-processing.ts')

/** Who waits for a variant: the client with the address or, without one, the shop itself. */
export type VariantCaller = { address?: string; signal: AbortSignal }

/** Decodes and encodes off the event loop, with a bounded queue each for uploads and variants. */
export function createImageWorker() {
  const inspections = createBoundedQueue(INSPECTIONS)
  const variants = createBoundedQueue(VARIANTS)
  const perAddress = createKeyedQueue(VARIANTS_PER_ADDRESS)
  return {
    /**
     * Detects the format and decodes the image to verify that it is complete. Its `bytes` don't say where it was taken.
     * @throws AppError 415 for an unsupported format or a damaged image; 413 for too many pixels, before any is decoded;
     *   503 when too many images are waiting
     */
    inspect: (bytes: Buffer) => inspections.run(async () => (await processing()).inspect(bytes)),
    /**
     * Queues the work of a variant: one at a time for an address, two in all. The shop's own begins when no client waits.
     * @throws AppError 429 when too many variants for the address are waiting; 503 when too many are in all; 499 when the
     *   signal is aborted before it begins
     */
    queueVariant: <T>({ address, signal }: VariantCaller, work: () => Promise<T>): Promise<T> =>
      perAddress.run(address ?? '', () => variants.run(work, signal, address === undefined ? -1 : 0)),
    /** Draws a variant, never enlarged and without metadata; of an animation the first frame. */
    draw: async (original: Buffer, width: number, format: VariantFormat): Promise<Buffer> =>
      (await processing()).draw(original, width, format),
  }
}
