import { LRUCache } from 'lru-cache'
import type { AppError } from '../../errors.ts'
import { busy, requestClosed, throwIfRequestClosed, tooManyInFlight } from './bounded-queue.ts'

const MAX_REMEMBERED_CALLERS = 1000

/** All who wait for one result; more may join meanwhile. */
export type Callers = {
  names: ReadonlySet<string>
  /** Set by the queue; to be called when a caller has joined. */
  onJoin?: () => void
}

/** A bounded queue that gives each caller, such as a client's address, the same share. */
export type FairQueue = {
  /**
   * Runs the work as soon as there is room: first that of the caller who was served longest ago.
   * @param callers none: work that begins only when no other is running or waiting, and doesn't time out
   * @param signal aborted when all of them have closed their requests: work that hasn't begun is then dropped
   * @throws AppError 429 when too much work of a caller is waiting; 503 when the queue is full or the wait times out
   */
  run<T>(work: () => Promise<T>, callers: Callers, signal: AbortSignal): Promise<T>
}

export function createFairQueue(limits: {
  concurrency: number
  maxWaiting: number
  timeoutMs: number
  perCaller: { concurrency: number; maxWaiting: number }
}): FairQueue {
  type Job = { callers: Callers; begin(caller: string | null): void }
  const { perCaller } = limits
  /** In the order of arrival. */
  const waiting = new Set<Job>()
  /** For whom each piece of work runs; null: for nobody. */
  const running: (string | null)[] = []
  const lastTurns = new LRUCache<string, number>({ max: MAX_REMEMBERED_CALLERS })
  let turn = 0

  function next(): { job: Job; caller: string | null } | undefined {
    let best: { job: Job; caller: string } | undefined
    let bestTurn = Number.POSITIVE_INFINITY
    for (const job of waiting) {
      for (const caller of job.callers.names) {
        const lastTurn = lastTurns.get(caller) ?? 0
        if (lastTurn >= bestTurn || countOf(running, caller) >= perCaller.concurrency) continue
        best = { job, caller }
        bestTurn = lastTurn
      }
    }
    if (best || running.length > 0) return best
    const [job] = waiting
    return job && { job, caller: null }
  }

  function startNext(): void {
    const chosen = running.length < limits.concurrency ? next() : undefined
    if (chosen === undefined) return
    const { job, caller } = chosen
    waiting.delete(job)
    running.push(caller)
    if (caller !== null) lastTurns.set(caller, ++turn)
    job.begin(caller)
    startNext()
  }

  function assertRoom(callers: Callers): void {
    if (waiting.size >= limits.maxWaiting) throw busy()
    for (const caller of callers.names) {
      const own = [...waiting].filter((job) => job.callers.names.has(caller))
      if (own.length >= perCaller.maxWaiting) throw tooManyInFlight()
    }
  }

  function waitForTurn(callers: Callers, signal: AbortSignal): Promise<string | null> {
    return new Promise((resolve, reject) => {
      const stopWaiting = () => {
        clearTimeout(timeout)
        signal.removeEventListener('abort', cancel)
        waiting.delete(job)
      }
      const leave = (error: AppError) => {
        stopWaiting()
        reject(error)
      }
      const cancel = () => leave(requestClosed())
      const timeout = callers.names.size > 0 ? setTimeout(() => leave(busy()), limits.timeoutMs) : undefined
      const job: Job = {
        callers,
        begin(caller) {
          stopWaiting()
          resolve(caller)
        },
      }
      signal.addEventListener('abort', cancel)
      waiting.add(job)
      callers.onJoin = startNext
      startNext()
    })
  }

  return {
    async run(work, callers, signal) {
      throwIfRequestClosed(signal)
      assertRoom(callers)
      const caller = await waitForTurn(callers, signal)
      try {
        return await work()
      } finally {
        running.splice(running.indexOf(caller), 1)
        startNext()
      }
    },
  }
}

function countOf(running: (string | null)[], caller: string): number {
  return running.filter((one) => one === caller).length
}
