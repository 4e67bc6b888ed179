import { Piscina } from 'piscina'

export type HtmlSanitizer = ReturnType<typeof createHtmlSanitizer>

/** Of a page of the supplier's, which has at most 32 MB. */
const MEMORY = { maxOldGenerationSizeMb: 512, maxYoungGenerationSizeMb: 16 }

/** Sanitises in a worker thread: a page of the supplier's takes from 10 ms to many seconds. */
export function createHtmlSanitizer() {
  const pool = new Piscina<string[], string[]>({
    filename: new URL('./html-sanitizer-worker.ts', import.meta.url).href,
    minThreads: 0,
    maxThreads: 1,
    // It takes 100 MB, and starts in 0.2 s.
    idleTimeout: 10_000,
    resourceLimits: MEMORY,
    niceIncrement: 5,
    // Its histograms take 700 KB.
    recordTiming: false,
  })
  return {
    /** Reduces each description to allowed HTML (contract section 4, "Descriptions"). */
    sanitize: (descriptions: string[]): Promise<string[]> => pool.run(descriptions),
    close: (): Promise<void> => pool.destroy(),
  }
}
