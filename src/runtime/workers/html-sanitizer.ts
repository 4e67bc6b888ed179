import { createThreads } from './threads.ts'

export type HtmlSanitizer = ReturnType<typeof createHtmlSanitizer>

/** Of a page of the supplier's, which has at most 32 MB. */
const MEMORY = { maxOldGenerationSizeMb: 512, maxYoungGenerationSizeMb: 16 }
/** It takes 100 MB, and starts in 0.2 s. */
const IDLE_TIMEOUT_MS = 10_000

/** Runs `sanitizeDescriptions` in a worker thread: a page of the supplier's takes from 10 ms to many seconds. */
export function createHtmlSanitizer() {
  const { run: sanitize, close } = createThreads<string[], string[]>(
    '../../rules/catalogue/descriptions.ts',
    {
      name: 'sanitizeDescriptions',
      maxThreads: 1,
      idleTimeout: IDLE_TIMEOUT_MS,
      resourceLimits: MEMORY,
    },
  )
  return { sanitize, close }
}
