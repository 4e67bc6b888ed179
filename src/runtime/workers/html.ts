import PQueue from 'p-queue'
import { codeOf, StorefrontError } from '../../errors.ts'
import type { Page, PageImages } from '../../rules/scraping/page-images.ts'
import { createThreads } from './threads.ts'

/** A usual page takes milliseconds, an adversarial one of 5 MB some seconds. */
const PAGE_TIMEOUT_MS = 10_000
const PAGE_IDLE_TIMEOUT_MS = 60_000
/** An adversarial page of 5 MB takes up to all of it. */
const PAGE_MEMORY = { maxOldGenerationSizeMb: 256, maxYoungGenerationSizeMb: 32 }

export type PageParser = ReturnType<typeof createPageParser>

/** Parses untrusted pages one at a time in a worker thread, so that none blocks the event loop. */
export function createPageParser(timeoutMs = PAGE_TIMEOUT_MS, memory = PAGE_MEMORY) {
  const { run, close } = createThreads<Page, PageImages>('../../rules/scraping/page-images.ts', {
    name: 'findPageImages',
    maxThreads: 1,
    idleTimeout: PAGE_IDLE_TIMEOUT_MS,
    resourceLimits: memory,
  })
  // The timeout of a page starts when it is parsed, not while it waits.
  const queue = new PQueue({ concurrency: 1 })

  async function parse(page: Page, signal: AbortSignal): Promise<PageImages> {
    signal.throwIfAborted()
    const timeout = AbortSignal.timeout(timeoutMs)
    try {
      return await run(page, AbortSignal.any([signal, timeout]))
    } catch (error) {
      signal.throwIfAborted()
      // Not for good: the machine may have been busy, or the process paused.
      if (timeout.aborted) throw unreadable(`it takes more than ${timeoutMs / 1000} s`, false)
      if (codeOf(error) === 'ERR_WORKER_OUT_OF_MEMORY') throw unreadable('it takes too much memory')
      if (error instanceof RangeError) throw unreadable('it is nested too deeply')
      throw error
    }
  }

  return {
    /**
     * Finds the images of the product on a page, in page order (docs/scraping.md).
     * @throws StorefrontError when the page takes too much time or memory; the signal's reason
     */
    findImages: (page: Page, signal: AbortSignal): Promise<PageImages> => queue.add(() => parse(page, signal)),
    close,
  }
}

function unreadable(reason: string, permanent = true): StorefrontError {
  return new StorefrontError(`the page can't be read: ${reason}`, { permanent })
}

const SANITIZER_MEMORY = { maxOldGenerationSizeMb: 512, maxYoungGenerationSizeMb: 16 }
/** It takes 100 MB, and starts in 0.2 s. */
const SANITIZER_IDLE_TIMEOUT_MS = 10_000

/** Runs `sanitizeDescriptions` in a worker thread: a page of the supplier's takes from 10 ms to minutes. */
export function createHtmlSanitizer() {
  const { run, close } = createThreads<string[], string[]>('../../rules/catalogue/descriptions.ts', {
    name: 'sanitizeDescriptions',
    maxThreads: 1,
    idleTimeout: SANITIZER_IDLE_TIMEOUT_MS,
    resourceLimits: SANITIZER_MEMORY,
  })
  return { sanitize: (descriptions: string[]): Promise<string[]> => run(descriptions), close }
}
