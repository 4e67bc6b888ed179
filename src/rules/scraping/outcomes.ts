import type { StorefrontError } from '../../errors.ts'

/** Minutes from each attempt to the next. */
const RETRY_MINUTES = [1, 5, 30, 120]
export const MAX_ATTEMPTS = RETRY_MINUTES.length + 1

export type ScrapeResult = {
  /** Why the page could not be fetched; null: it was read, or didn't have to be. */
  pageFailure: StorefrontError | null
  /** What is wrong with the page's JSON-LD, whose images may be missing. */
  pageFault?: string | null
  /** The number wanted, including those that were downloaded before. */
  images: number
  downloaded: number
  /** Why images could not be downloaded. */
  failures: StorefrontError[]
}

export type TaskOutcome =
  | { status: 'DONE' | 'FAILED'; message: string | null }
  | { status: 'PENDING'; message: string; delayMs: number }

/**
 * Decides how an attempt at a task ends: DONE when the page was read and at
 * least one image was stored, or there was none; PENDING while a retry may help and attempts are left.
 * @param attempts includes this one
 */
export function outcomeOf(result: ScrapeResult, attempts: number): TaskOutcome {
  const { pageFailure, pageFault = null, images, failures } = result
  if (pageFailure !== null) return failedOutcome(pageFailure.message, [pageFailure], attempts)
  const [first] = failures
  if (first !== undefined && failures.length === images) {
    const message = `None of ${images} images could be downloaded: ${first.message}`
    return failedOutcome(message, failures, attempts)
  }
  const remarks = []
  if (images === 0) remarks.push('The page shows no images of the product')
  if (failures.length > 0) remarks.push(`${failures.length} of ${images} images failed: see the image log`)
  if (pageFault !== null) remarks.push(`The page's JSON-LD can't be read: ${pageFault}`)
  return { status: 'DONE', message: remarks.join('. ') || null }
}

function failedOutcome(message: string, failures: StorefrontError[], attempts: number): TaskOutcome {
  const minutes = RETRY_MINUTES[attempts - 1]
  if (failures.every(({ permanent }) => permanent) || minutes === undefined) return { status: 'FAILED', message }
  return { status: 'PENDING', message, delayMs: minutes * 60_000 }
}
