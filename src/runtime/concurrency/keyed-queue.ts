import PQueue from 'p-queue'
import { AppError } from '../../errors.ts'

/** Work of many callers, of each a little at a time. */
export type KeyedQueue = {
  /**
   * Runs work of this caller when it is its turn; only the caller's own work comes before it.
   * @throws AppError 429 when too much of the caller's is waiting; what the work rejects with
   */
  take<T>(caller: string, work: () => Promise<T>): Promise<T>
}

/** So long a full queue takes to have room again, in seconds. */
const RETRY_AFTER_S = 5

/**
 * @param concurrency pieces of one caller's work that run at a time
 * @param waiting those that may wait beside them
 */
export function createKeyedQueue(concurrency: number, waiting: number): KeyedQueue {
  const queues = new Map<string, PQueue>()
  return {
    async take(caller, work) {
      const queue = queues.get(caller) ?? new PQueue({ concurrency })
      if (queue.size >= waiting) {
        const retryAfter = RETRY_AFTER_S
        throw new AppError(429, 'RATE_LIMITED', 'Too many at once from here; please wait', { retryAfter })
      }
      queues.set(caller, queue)
      try {
        return await queue.add(work)
      } finally {
        if (queue.pending === 0 && queue.size === 0) queues.delete(caller)
      }
    },
  }
}
