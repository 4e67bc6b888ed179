import PQueue from 'p-queue'
import { Piscina } from 'piscina'
import { StorefrontError } from '../../errors.ts'

/** `url`: where it was found, after redirects. */
export type PageToRead = { html: string; url: string }
export type PageAnswer = { images: string[] } | { fault: string }

/** A usual page takes milliseconds, 5 MB made to be slow some seconds. */
const TIMEOUT_MS = 10_000
/** 5 MB made to be large take half of it or all but a little. */
const MEMORY = { maxOldGenerationSizeMb: 256, maxYoungGenerationSizeMb: 32 }

export type PageParser = {
  /**
   * The pictures of the product that a page shows: absolute addresses in page order (contract section 9).
   * @throws StorefrontError for a page that takes more time or memory than any should; the signal's reason
   */
  findImages(page: PageToRead, signal: AbortSignal): Promise<string[]>
  close(): Promise<void>
}

/** Reads pages that strangers wrote in a thread of its own, one after the other: the event loop never waits for one. */
export function createPageParser(timeoutMs = TIMEOUT_MS, memory = MEMORY): PageParser {
  const pool = new Piscina<PageToRead, PageAnswer>({
    filename: new URL('./page-parser-worker.ts', import.meta.url).href,
    minThreads: 0,
    maxThreads: 1,
    idleTimeout: 60_000,
    resourceLimits: memory,
    niceIncrement: 5,
    // Nobody reads it, and it takes 700 KB.
    recordTiming: false,
  })
  // Time counts from a page's turn on, not while another one is read.
  const turns = new PQueue({ concurrency: 1 })

  async function read(page: PageToRead, signal: AbortSignal): Promise<PageAnswer> {
    signal.throwIfAborted()
    const patience = AbortSignal.timeout(timeoutMs)
    try {
      return await pool.run(page, { signal: AbortSignal.any([signal, patience]) })
    } catch (error) {
      signal.throwIfAborted()
      if (patience.aborted) return { fault: `it takes more than ${timeoutMs / 1000} s` }
      if (isOutOfMemory(error)) return { fault: 'it takes too much memory' }
      throw error
    }
  }

  return {
    async findImages(page, signal) {
      const answer = await turns.add(() => read(page, signal))
      if ('images' in answer) return answer.images
      throw new StorefrontError(`the page can't be read: ${answer.fault}`, { permanent: true })
    },
    close: () => pool.destroy(),
  }
}

function isOutOfMemory(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ERR_WORKER_OUT_OF_MEMORY'
}
