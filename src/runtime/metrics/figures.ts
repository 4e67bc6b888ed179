import { setTimeout as delay } from 'node:timers/promises'

const TTL_MS = 10_000
/** Shorter than the ten seconds after which Prometheus gives up a scrape. */
const TIMEOUT_MS = 2000

/** Reads figures at most once in ten seconds, for all callers. Null: they can't be read, or not in time. */
export type Figures<T> = () => Promise<T | null>

export function createFigures<T>(
  read: () => Promise<T>,
  onFailure: (error: unknown) => void,
  ttlMs = TTL_MS,
): Figures<T> {
  let last: { reading: Promise<T | null>; isSettled: boolean; startedAt: number } | undefined

  function start(): Promise<T | null> {
    const reading = read().catch((error: unknown) => {
      onFailure(error)
      return null
    })
    const current = { reading, isSettled: false, startedAt: performance.now() }
    last = current
    return reading.finally(() => {
      current.isSettled = true
    })
  }

  return () => {
    const isFresh = last && (!last.isSettled || performance.now() - last.startedAt < ttlMs)
    const reading = last && isFresh ? last.reading : start()
    return Promise.race([reading, delay(TIMEOUT_MS, null, { ref: false })])
  }
}
