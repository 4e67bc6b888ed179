import type { Piscina } from 'piscina'

type Options = {
  /** The exported function, if not the default export. */
  name?: string
  maxThreads: number
  /** A thread ends after being idle for this long. */
  idleTimeoutMs: number
  memory?: { maxOldGenerationSizeMb: number; maxYoungGenerationSizeMb: number }
}

/** Runs a function that a file exports in threads, which start with the first task. */
export function createThreads<Task, Result>(file: string, options: Options) {
  const { name = 'default', maxThreads, idleTimeoutMs, memory } = options
  let pool: Piscina<Task, Result> | undefined

  return {
    async run(task: Task, signal?: AbortSignal): Promise<Result> {
      const { Piscina: Pool } = await import('piscina')
      pool ??= new Pool<Task, Result>({
        filename: new URL(file, import.meta.url).href,
        name,
        minThreads: 0,
        maxThreads,
        idleTimeout: idleTimeoutMs,
        ...(memory && { resourceLimits: memory }),
        // Gives the event loop precedence; on Linux only.
        niceIncrement: 5,
        // Its histograms take 700 KB.
        recordTiming: false,
      })
      return pool.run(task, signal ? { signal } : {})
    },
    close: async (): Promise<void> => pool?.destroy(),
  }
}
