import type { Piscina } from 'piscina'

/** Runs a function that a file exports in threads, which start with the first task and end after being idle. */
export function createThreads<Task, Result>(
  file: string,
  options: NonNullable<ConstructorParameters<typeof Piscina>[0]>,
) {
  let pool: Piscina<Task, Result> | undefined

  return {
    async run(task: Task, signal: AbortSignal | null = null): Promise<Result> {
      const { Piscina: Pool } = await import('piscina')
      pool ??= new Pool<Task, Result>({
        ...options,
        filename: new URL(file, import.meta.url).href,
        minThreads: 0,
        // Gives the event loop precedence; on Linux only.
        niceIncrement: 5,
        // Its histograms take 700 KB.
        recordTiming: false,
      })
      return pool.run(task, { signal })
    },
    close: async (): Promise<void> => pool?.destroy(),
  }
}
