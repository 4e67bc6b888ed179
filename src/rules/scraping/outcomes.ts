export const MAX_ATTEMPTS = 5
/** Minutes from each attempt to the next. */
const RETRY_MINUTES = [1, 5, 30, 120]

/** Why a page or an image could not be fetched. `permanent`: retrying would not help. */
export type Failure = { message: string; permanent: boolean; retryAfterMs?: number }

export type ScrapeResult = {
  /** Null: the page was read, or didn't have to be. */
  pageFailure: Failure | null
  /** The number wanted, including those that were downloaded before. */
  images: number
  downloaded: number
  /** Why images could not be downloaded. */
  failures: Failure[]
}

export type TaskOutcome =
  | { status: 'DONE' | 'FAILED'; message: string | null }
  | { status: 'PENDING'; message: string; delayMs: number }

/**
 * Decides how an attempt at a task ends (specification, "Scrape queue task states"): DONE when the page was read and at
 * least one image was stored, or there was none; PENDING while a retry may help and attempts are left.
 * @param attempts includes this one
 */
export function outcomeOf({ pageFailure, images, failures }: ScrapeResult, attempts: number): TaskOutcome {
  if (pageFailure !== null) return failedOutcome(pageFailure.message, [pageFailure], attempts)
  if (images === 0) return { status: 'DONE', message: 'The page shows no images of the product' }
  const [first] = failures
  if (first === undefined) return { status: 'DONE', message: null }
  if (failures.length < images) {
    return { status: 'DONE', message: `${failures.length} of ${images} images failed: see the image log` }
  }
  const message = `None of ${images} images could be downloaded: ${first.message}`
  return failedOutcome(message, failures, attempts)
}

function failedOutcome(message: string, failures: Failure[], attempts: number): TaskOutcome {
  const temporary = failures.filter(({ permanent }) => !permanent)
  const minutes = RETRY_MINUTES[attempts - 1]
  if (temporary.length === 0 || attempts >= MAX_ATTEMPTS || minutes === undefined) {
    return { status: 'FAILED', message }
  }
  const requested = temporary.map(({ retryAfterMs }) => retryAfterMs ?? 0)
  return { status: 'PENDING', message, delayMs: Math.max(minutes * 60_000, ...requested) }
}
