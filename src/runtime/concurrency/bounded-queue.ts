import PQueue from 'p-queue'
import { AppError } from '../../errors.ts'

/** Retry-After of what was refused for want of room. */
const RETRY_AFTER_S = 5

/** Work of which a few pieces run at a time; the others wait in line, which is bounded in length and in time. */
export type BoundedQueue = {
  /**
   * Runs the work when its turn comes.
   * @param gone nobody waits for it any more: aborted before its turn, it is not begun
   * @throws AppError 503 when too many wait already, or it has waited too long; see throwIfRequestClosed
   */
  take<T>(work: () => Promise<T>, gone: AbortSignal): Promise<T>
}

export function createBoundedQueue(limits: {
  concurrency: number
  maxWaiting: number
  timeoutMs: number
}): BoundedQueue {
  const queue = new PQueue({ concurrency: limits.concurrency })
  return {
    async take(work, gone) {
      throwIfRequestClosed(gone)
      if (queue.size >= limits.maxWaiting) throw tooMany()
      const waiting = new AbortController()
      const leave = () => waiting.abort(nobodyThere())
      gone.addEventListener('abort', leave)
      const patience = setTimeout(() => waiting.abort(tooMany()), limits.timeoutMs)
      // The queue would also give up on work that has begun.
      const endWaiting = () => {
        clearTimeout(patience)
        gone.removeEventListener('abort', leave)
      }
      const begin = () => {
        endWaiting()
        return work()
      }
      return queue.add(begin, { signal: waiting.signal }).finally(endWaiting)
    },
  }
}

/** @throws AppError that nobody gets to see, when nobody waits for the work any more */
export function throwIfRequestClosed(gone: AbortSignal): void {
  if (gone.aborted) throw nobodyThere()
}

/** With a 5xx it would pass for a fault of ours. */
const CALLER_GONE = 499

function nobodyThere(): AppError {
  return new AppError(CALLER_GONE, 'UNAVAILABLE', 'Nobody waits for the answer any more')
}

function tooMany(): AppError {
  return new AppError(503, 'UNAVAILABLE', 'The service is busy; please repeat', { retryAfter: RETRY_AFTER_S })
}
