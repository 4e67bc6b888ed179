import type { Piscina } from 'piscina'

type Options = {
  maxThreads: number
  /** A thread that has nothing to do for so long ends. */
  idleTimeoutMs: number
  memory?: { maxOldGenerationSizeMb: number; maxYoungGenerationSizeMb: number }
}

/** Runs the default export of a file of this folder in threads, which start with the first task. */
export function createThreads<Task, Result>(file: string, { maxThreads, idleTimeoutMs, memory }: Options) {
  let started: Promise<Piscina<Task, Result>> | undefined

  async function start(): Promise<Piscina<Task, Result>> {
    const { Piscina: Pool } = await import('piscina')
    return new Pool<Task, Result>({
      filename: new URL(file, import.meta.url).href,
      minThreads: 0,
      maxThreads,
      idleTimeout: idleTimeoutMs,
      ...(memory && { resourceLimits: memory }),
      // Gives the event loop precedence; on Linux only.
      niceIncrement: 5,
      // Its histograms take 700 KB.
      recordTiming: false,
    })
  }
  const pool = () => {
    started ??= start()
    return started
  }

  return {
    run: async (task: Task, signal?: AbortSignal): Promise<Result> =>
      (await pool()).run(task, signal ? { signal } : {}),
    close: async (): Promise<void> => (await started)?.destroy(),
  }
}
