import { AppError } from '../../errors.ts'

/** One kind of work of which one piece runs at a time; who calls it meanwhile shares what comes of it. */
export type Coalescer<T> = {
  running: Promise<T> | undefined
  /** Begins behind the running one. */
  next: Promise<T> | undefined
  timer: NodeJS.Timeout | undefined
  /** When what was asked for soon has to begin at the latest; like `restUntil` on the clock of `performance`. */
  dueAt: number | undefined
  /** What is asked for soon doesn't begin before: work that takes long leaves time to others. */
  restUntil: number
}

export function createCoalescer<T>(): Coalescer<T> {
  return { running: undefined, next: undefined, timer: undefined, dueAt: undefined, restUntil: 0 }
}

type Work<T> = (signal: AbortSignal) => Promise<T>

/** What goes on beside requests, and has to end well when the process stops (contract section 11). */
export type Tasks = {
  /** From the moment a stop begins, nothing new is taken on. */
  readonly stopping: boolean
  /**
   * Runs work that a stop waits for.
   * @param graceMs how long a stop lets it go on before the signal ends it
   * @throws AppError 503 when stopping; what the work rejects with
   */
  run<T>(work: Work<T>, graceMs?: number): Promise<T>
  /** Joins what runs in the coalescer; if nothing does, runs the work. */
  join<T>(coalescer: Coalescer<T>, work: Work<T>): Promise<T>
  /** Calls while something runs in the coalescer share one more run, which begins behind it and so sees all before the call. */
  runNext<T>(coalescer: Coalescer<T>, work: Work<T>): Promise<T>
  /**
   * Follows soon, in the background, when no call came for `quietMs` or at the latest `latestMs` after the first; not
   * before the coalescer has rested for as long as its last work took. The work must not reject.
   */
  debounce<T>(
    coalescer: Coalescer<T>,
    delay: { quietMs: number; latestMs: number },
    work: () => Promise<T>,
  ): void
  /** Takes on nothing more, ends what runs, each with its grace, and waits for it. */
  stop(): Promise<void>
}

export function createTasks(): Tasks {
  const underWay = new Map<Promise<unknown>, { controller: AbortController; graceMs: number }>()
  const timers = new Set<NodeJS.Timeout>()
  let stopping = false

  async function run<T>(work: Work<T>, graceMs = 0): Promise<T> {
    if (stopping) throw stoppingError()
    const controller = new AbortController()
    const done = work(controller.signal).finally(() => underWay.delete(done))
    underWay.set(done, { controller, graceMs })
    return done
  }

  function begin<T>(coalescer: Coalescer<T>, work: Work<T>): Promise<T> {
    const began = performance.now()
    const running = run(work).finally(() => {
      coalescer.running = undefined
      const now = performance.now()
      coalescer.restUntil = now + (now - began)
    })
    coalescer.running = running
    return running
  }

  function runNext<T>(coalescer: Coalescer<T>, work: Work<T>): Promise<T> {
    if (coalescer.next) return coalescer.next
    if (!coalescer.running) return begin(coalescer, work)
    const start = (): Promise<T> => {
      coalescer.next = undefined
      return begin(coalescer, work)
    }
    coalescer.next = coalescer.running.then(start, start)
    return coalescer.next
  }

  return {
    get stopping() {
      return stopping
    },
    run,
    join: (coalescer, work) => coalescer.running ?? begin(coalescer, work),
    runNext,
    debounce(coalescer, { quietMs, latestMs }, work) {
      if (stopping) return
      if (coalescer.timer) timers.delete(coalescer.timer)
      clearTimeout(coalescer.timer)
      const now = performance.now()
      coalescer.dueAt ??= now + latestMs
      const begin = Math.max(Math.min(now + quietMs, coalescer.dueAt), coalescer.restUntil)
      const timer = setTimeout(() => {
        timers.delete(timer)
        coalescer.timer = undefined
        coalescer.dueAt = undefined
        void work()
      }, begin - now)
      coalescer.timer = timer
      timers.add(timer)
    },
    async stop() {
      stopping = true
      for (const timer of timers) clearTimeout(timer)
      const graces = [...underWay.values()].map(({ controller, graceMs }) => {
        const end = () => controller.abort(stoppingError())
        if (graceMs > 0) return setTimeout(end, graceMs)
        end()
        return undefined
      })
      await Promise.allSettled(underWay.keys())
      for (const grace of graces) clearTimeout(grace)
    },
  }
}

function stoppingError(): AppError {
  return new AppError(503, 'UNAVAILABLE', 'The service is stopping')
}
