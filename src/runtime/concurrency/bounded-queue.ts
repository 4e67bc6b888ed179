import PQueue from 'p-queue'
import { AppError } from '../../errors.ts'
import { inContext } from '../request-context.ts'

/** `Retry-After` of a full queue, in seconds. */
const RETRY_AFTER_S = 5

const NEVER = new AbortController().signal

/** A queue that is bounded in length and in waiting time. */
export function createBoundedQueue(limits: { concurrency: number; maxWaiting: number; timeoutMs: number }) {
  const queue = new PQueue({ concurrency: limits.concurrency })
  return {
    /**
     * Runs the work as soon as there is room, in the order of the calls; work of a lower priority comes last.
     * @param signal aborted when the client closes the request: work that hasn't begun is then dropped
     * @throws AppError 503 when the queue is full or the wait times out; see throwIfRequestClosed
     */
    async run<T>(work: () => Promise<T>, signal = NEVER, priority = 0): Promise<T> {
      throwIfRequestClosed(signal)
      if (queue.size >= limits.maxWaiting) throw busy()
      const waiting = new AbortController()
      const cancel = () => waiting.abort(requestClosed())
      signal.addEventListener('abort', cancel)
      const timeout = setTimeout(() => waiting.abort(busy()), limits.timeoutMs)
      // p-queue would also reject work that has begun.
      const stopWaiting = () => {
        clearTimeout(timeout)
        signal.removeEventListener('abort', cancel)
      }
      const begin = () => {
        stopWaiting()
        return work()
      }
      return queue.add(inContext(begin), { signal: waiting.signal, priority }).finally(stopWaiting)
    },
  }
}

/** @throws AppError 499, which no client receives, when the client has closed the request */
export function throwIfRequestClosed(signal: AbortSignal): void {
  if (signal.aborted) throw requestClosed()
}

/** 499 is nginx's status for this; a 5xx would count as a server error. */
function requestClosed(): AppError {
  return new AppError(499, 'UNAVAILABLE', 'Request closed by the client')
}

function busy(): AppError {
  return new AppError(503, 'UNAVAILABLE', 'The service is busy; please retry', { retryAfter: RETRY_AFTER_S })
}

/** A bounded queue for each key, so that one caller can't delay the others. */
export function createKeyedQueue(limits: { concurrency: number; maxWaiting: number }) {
  const queues = new Map<string, PQueue>()
  return {
    /** @throws AppError 429 when the queue of this key is full */
    async run<T>(key: string, work: () => Promise<T>): Promise<T> {
      const queue = queues.get(key) ?? new PQueue({ concurrency: limits.concurrency })
      if (queue.size >= limits.maxWaiting) {
        const message = 'Too many requests in flight from this address; please wait'
        throw new AppError(429, 'RATE_LIMITED', message, { retryAfter: RETRY_AFTER_S })
      }
      queues.set(key, queue)
      try {
        return await queue.add(inContext(work))
      } finally {
        if (queue.pending === 0 && queue.size === 0) queues.delete(key)
      }
    },
  }
}
