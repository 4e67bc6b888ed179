import { AppError } from '../../errors.ts'

/** State of one kind of work that runs once at a time. Times are on the clock of `performance`. */
export type Coalescer<T> = {
  running: Promise<T> | undefined
  /** The one run queued behind `running`. */
  next: Promise<T> | undefined
  /** The debounce timer, and the latest moment it may fire. */
  timer: NodeJS.Timeout | undefined
  dueAt: number | undefined
  /** Debounced work doesn't start earlier, so that slow work can't run back to back. */
  restUntil: number
}

export function createCoalescer<T>(): Coalescer<T> {
  return { running: undefined, next: undefined, timer: undefined, dueAt: undefined, restUntil: 0 }
}

type Work<T> = (signal: AbortSignal) => Promise<T>

export type Tasks = ReturnType<typeof createTasks>

/** Background work, which a shutdown waits for (contract section 11). Nothing starts once `stopping`. */
export function createTasks() {
  const running = new Map<Promise<unknown>, { controller: AbortController; graceMs: number }>()
  const timers = new Set<NodeJS.Timeout>()
  let stopping = false

  /**
   * Runs work that a shutdown waits for.
   * @param graceMs how long a shutdown waits before it aborts the signal
   * @throws AppError 503 when stopping
   */
  async function run<T>(work: Work<T>, graceMs = 0): Promise<T> {
    if (stopping) throw stoppingError()
    const controller = new AbortController()
    const result = work(controller.signal).finally(() => running.delete(result))
    running.set(result, { controller, graceMs })
    return result
  }

  function start<T>(coalescer: Coalescer<T>, work: Work<T>): Promise<T> {
    const startedAt = performance.now()
    coalescer.running = run(work).finally(() => {
      coalescer.running = undefined
      const now = performance.now()
      coalescer.restUntil = now + (now - startedAt)
    })
    return coalescer.running
  }

  return {
    get stopping() {
      return stopping
    },
    run,
    /** Joins the run in progress, or starts one. */
    join: <T>(coalescer: Coalescer<T>, work: Work<T>): Promise<T> =>
      coalescer.running ?? start(coalescer, work),
    /** Shares one run that starts after this call, behind the one in progress, so it sees all that was written before. */
    runNext<T>(coalescer: Coalescer<T>, work: Work<T>): Promise<T> {
      if (coalescer.next) return coalescer.next
      if (!coalescer.running) return start(coalescer, work)
      const startNext = () => {
        coalescer.next = undefined
        return start(coalescer, work)
      }
      coalescer.next = coalescer.running.then(startNext, startNext)
      return coalescer.next
    },
    /**
     * Starts the work after `quietMs` without another call, or `latestMs` after the first one; but not before the
     * coalescer has rested for as long as its last run took. The work must not reject.
     */
    debounce<T>(
      coalescer: Coalescer<T>,
      { quietMs, latestMs }: { quietMs: number; latestMs: number },
      work: () => Promise<T>,
    ): void {
      if (stopping) return
      if (coalescer.timer) timers.delete(coalescer.timer)
      clearTimeout(coalescer.timer)
      const now = performance.now()
      coalescer.dueAt ??= now + latestMs
      const startAt = Math.max(Math.min(now + quietMs, coalescer.dueAt), coalescer.restUntil)
      const timer = setTimeout(() => {
        timers.delete(timer)
        coalescer.timer = undefined
        coalescer.dueAt = undefined
        void work()
      }, startAt - now)
      coalescer.timer = timer
      timers.add(timer)
    },
    /** Aborts all work, each after its grace period, and waits for it to settle. */
    async stop(): Promise<void> {
      stopping = true
      for (const timer of timers) clearTimeout(timer)
      const graceTimers = [...running.values()].map(({ controller, graceMs }) => {
        const abort = () => controller.abort(stoppingError())
        if (graceMs > 0) return setTimeout(abort, graceMs)
        abort()
        return undefined
      })
      await Promise.allSettled(running.keys())
      for (const timer of graceTimers) clearTimeout(timer)
    },
  }
}

function stoppingError(): AppError {
  return new AppError(503, 'UNAVAILABLE', 'The service is stopping')
}
