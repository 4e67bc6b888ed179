import { setTimeout as delay } from 'node:timers/promises'

/** How long anything may take after a fault before it counts as stuck: longer than every lease. */
export const PATIENCE_MS = 150_000
const PAUSE_MS = 100

/** Something is wrong after a fault. */
export type Finding = { kind: 'lost' | 'doubled' | 'stuck' | 'wrong'; what: string }

export class Stuck extends Error {}

/**
 * Repeats the work until it doesn't throw.
 * @throws Stuck with the last error
 */
export async function untilDone<T>(
  what: string,
  work: () => Promise<T>,
  { patienceMs = PATIENCE_MS, pauseMs = PAUSE_MS } = {},
): Promise<T> {
  const end = performance.now() + patienceMs
  for (;;) {
    try {
      return await work()
    } catch (error) {
      if (performance.now() > end) throw new Stuck(`${what}: ${describe(error)}`)
      await delay(pauseMs)
    }
  }
}

/** Repeats checks until they find nothing. @returns what they found last */
export async function untilFine(check: () => Promise<Finding[]>, patienceMs = PATIENCE_MS): Promise<Finding[]> {
  const end = performance.now() + patienceMs
  for (;;) {
    const found = await check()
    if (found.length === 0 || performance.now() > end) return found
    await delay(PAUSE_MS)
  }
}

export function describe(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  return error.cause instanceof Error ? `${error.message}: ${error.cause.message}` : error.message
}
