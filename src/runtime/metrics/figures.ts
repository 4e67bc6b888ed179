import { setTimeout as delay } from 'node:timers/promises'

const TTL_MS = 10_000
/** Shorter than the ten seconds after which Prometheus gives up on a scrape. */
const TIMEOUT_MS = 2000

/** Reads figures at most once every ten seconds, for all callers. Null if they can't be read in time. */
export type Figures<T> = () => Promise<T | null>

export function createFigures<T>(
  read: () => Promise<T>,
  onFailure: (error: unknown) => void,
  ttlMs = TTL_MS,
): Figures<T> {
  let last: Promise<T | null> | undefined
  let expiresAt = 0

  return () => {
    if (last === undefined || performance.now() >= expiresAt) {
      expiresAt = Number.POSITIVE_INFINITY
      last = read()
        .catch((error: unknown) => {
          onFailure(error)
          return null
        })
        .finally(() => {
          expiresAt = performance.now() + ttlMs
        })
    }
    return Promise.race([last, delay(TIMEOUT_MS, null, { ref: false })])
  }
}
