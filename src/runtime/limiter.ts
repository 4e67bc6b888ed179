/** Runs work as soon as its turn comes; what the work rejects with, the call does. */
export type Limiter = <T>(work: () => Promise<T>) => Promise<T>

/** Lets so many run at a time; the others wait in the order in which they came. */
export function createLimiter(most: number): Limiter {
  const waiting: (() => void)[] = []
  let running = 0
  return async (work) => {
    if (running < most) running += 1
    else await new Promise<void>((resolve) => waiting.push(resolve))
    try {
      return await work()
    } finally {
      // Whoever waits takes over the place.
      const next = waiting.shift()
      if (next) next()
      else running -= 1
    }
  }
}
