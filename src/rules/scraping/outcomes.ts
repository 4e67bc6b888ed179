export const MAX_ATTEMPTS = 5
/** Minutes between one attempt at a page and the next. */
const PAUSES = [1, 5, 30, 120]

/** Why something can't be had, and whether another attempt could have it. */
export type Failure = { message: string; permanent: boolean; retryAfterMs?: number | undefined }

/** What was found of a product: why its page could not be read, and what became of the images. */
export type Finds = { page: Failure | null; images: number; failures: Failure[] }

export type TaskEnd =
  | { status: 'DONE' | 'FAILED'; message: string | null }
  /** Another attempt follows. */
  | { status: 'PENDING'; message: string; delayMs: number }

/**
 * How a task ends (specification, "Scrape queue task states"): DONE when its page was read and at least one image is
 * there or there was none to have; single failures are for the log. What may pass is tried five times.
 * @param attempts this one included
 */
export function endOfTask({ page, images, failures }: Finds, attempts: number): TaskEnd {
  if (page !== null) return endOfFailure(page, [page], attempts)
  if (images === 0) return { status: 'DONE', message: 'The page shows no images of the product' }
  const [first] = failures
  if (first === undefined) return { status: 'DONE', message: null }
  if (failures.length < images) {
    return { status: 'DONE', message: `${failures.length} of ${images} images failed: see the image log` }
  }
  const message = `None of ${images} images could be had: ${first.message}`
  return endOfFailure({ ...first, message }, failures, attempts)
}

function endOfFailure({ message }: Failure, failures: Failure[], attempts: number): TaskEnd {
  const passing = failures.filter(({ permanent }) => !permanent)
  const pause = PAUSES[attempts - 1]
  if (passing.length === 0 || attempts >= MAX_ATTEMPTS || pause === undefined) {
    return { status: 'FAILED', message }
  }
  const asked = passing.map(({ retryAfterMs }) => retryAfterMs ?? 0)
  return { status: 'PENDING', message, delayMs: Math.max(pause * 60_000, ...asked) }
}
