import { AppError } from '../../errors.ts'

export type Tasks = ReturnType<typeof createTasks>

/** Background work, which a shutdown waits for (docs/operations.md). Nothing starts once `stopping`. */
export function createTasks() {
  const running = new Map<Promise<unknown>, { controller: AbortController; graceMs: number }>()
  let stopping = false

  return {
    get stopping() {
      return stopping
    },
    /**
     * Runs work that a shutdown waits for.
     * @param graceMs how long a shutdown waits before it aborts the signal
     * @throws AppError 503 when stopping
     */
    async run<T>(work: (signal: AbortSignal) => Promise<T>, graceMs = 0): Promise<T> {
      if (stopping) throw stoppingError()
      const controller = new AbortController()
      const result = work(controller.signal).finally(() => running.delete(result))
      running.set(result, { controller, graceMs })
      return result
    },
    /** Aborts all work, each after its grace period, and waits for it to settle. */
    async stop(): Promise<void> {
      stopping = true
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

/**
 * Starts work that a shutdown waits for, and that may turn out not to be possible.
 * @param work calls `begin` once it is, with what the caller wants to know
 * @throws what the work throws before it begins; AppError 503 when stopping
 */
export async function startTask<Begun>(
  tasks: Tasks,
  work: (signal: AbortSignal, begin: (begun: Begun) => void) => Promise<void>,
): Promise<{ begun: Begun; finished: Promise<void> }> {
  const begun = Promise.withResolvers<Begun>()
  const finished = tasks.run((signal) => work(signal, begun.resolve))
  finished.catch(begun.reject)
  return { begun: await begun.promise, finished }
}

function stoppingError(): AppError {
  return new AppError(503, 'UNAVAILABLE', 'The service is stopping')
}
