const SECOND_MS = 1000
const MINUTE_MS = 60 * SECOND_MS
const HOUR_MS = 60 * MINUTE_MS

/** Delays between attempts: nine attempts in two days (contract section 13). */
const RETRY_DELAYS_MS = [
  5 * SECOND_MS,
  MINUTE_MS,
  5 * MINUTE_MS,
  30 * MINUTE_MS,
  2 * HOUR_MS,
  6 * HOUR_MS,
  12 * HOUR_MS,
  24 * HOUR_MS,
]

/** The delay after a failed attempt, the first being 1. @returns null when there is no further attempt */
export function retryDelayMs(attempts: number): number | null {
  return RETRY_DELAYS_MS[attempts - 1] ?? null
}

/** The receiver doesn't exist any more and wants nothing further (Standard Webhooks specification). */
const GONE = 410

/** How an attempt ended; `response` is the beginning of the answer's body. */
export type Attempt = { status: number | null; response: string | null; error: string | null }

export function isDelivered({ status, error }: Attempt): boolean {
  return error === null && status !== null && status >= 200 && status < 300
}

export function isGone({ status }: Attempt): boolean {
  return status === GONE
}

/** Why an attempt failed, for staff. */
export function failureOf({ status, error }: Attempt): string {
  return error ?? `The receiver answered ${status}`
}
