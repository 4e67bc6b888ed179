import type { FastifyBaseLogger } from 'fastify'
import type { TaskEnd } from '../../rules/scraping/outcomes.ts'

const REPORT_MS = 5000

export type ScrapeProgress = {
  addImage(fetched: boolean): void
  /** Writes a line to the log, at most every five seconds. */
  addTask(status: TaskEnd['status']): void
  /** The last line, if there was anything to do. */
  reportEnd(): void
}

/** Counts what a run does and lets the log follow it. */
export function createScrapeProgress(log: FastifyBaseLogger): ScrapeProgress {
  const started = performance.now()
  let reported = started
  const images = { fetched: 0, failed: 0 }
  const tasks = { DONE: 0, FAILED: 0, PENDING: 0 }

  function counts() {
    const seconds = Math.max(0.001, (performance.now() - started) / 1000)
    const { DONE: done, FAILED: failed, PENDING: postponed } = tasks
    const rate = (count: number) => Math.round((count / seconds) * 10) / 10
    return {
      done,
      failed,
      postponed,
      images: images.fetched,
      imagesFailed: images.failed,
      productsPerSecond: rate(done + failed + postponed),
      imagesPerSecond: rate(images.fetched),
    }
  }

  return {
    addImage(fetched) {
      images[fetched ? 'fetched' : 'failed'] += 1
    },
    addTask(status) {
      tasks[status] += 1
      if (performance.now() - reported < REPORT_MS) return
      reported = performance.now()
      log.info(counts(), 'scraping under way')
    },
    reportEnd() {
      if (tasks.DONE + tasks.FAILED + tasks.PENDING > 0) log.info(counts(), 'scraping: nothing more is due')
    },
  }
}
