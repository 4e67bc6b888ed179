import { AppError } from '../../errors.ts'

export type Tasks = ReturnType<typeof createTasks>

/** Background work, which a shutdown waits for (contract section 11). Nothing starts once `stopping`. */
export function createTasks() {
  const running = new Map<Promise<unknown>, { controller: AbortController; graceMs: number }>()
  const scheduled = new Map<string, { timer: NodeJS.Timeout; dueAt: number }>()
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
    /** Starts the work `quietMs` after the last call with this name, but at most `latestMs` after the first one. */
    debounce(name: string, { quietMs, latestMs }: { quietMs: number; latestMs: number }, work: () => void): void {
      if (stopping) return
      const now = performance.now()
      const { timer: last, dueAt = now + latestMs } = scheduled.get(name) ?? {}
      clearTimeout(last)
      const start = () => {
        scheduled.delete(name)
        work()
      }
      scheduled.set(name, { timer: setTimeout(start, Math.min(quietMs, dueAt - now)), dueAt })
    },
    /** Aborts all work, each after its grace period, and waits for it to settle. */
    async stop(): Promise<void> {
      stopping = true
      for (const { timer } of scheduled.values()) clearTimeout(timer)
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
