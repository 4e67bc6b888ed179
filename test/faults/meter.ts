/** Where a fault strikes: before message `at` is passed on, or right after. */
type Strike = { at: number; when: 'before' | 'after'; hit(cut: () => void): void }

/** Counts the messages of all proxies of a shop in one sequence, and strikes at one of them. */
export type Meter = {
  /** Counts from one, until `stop`. */
  start(strike?: Strike): void
  /** @returns the number of messages since `start` */
  stop(): number
  /** `performance.now()` of the strike; null before. */
  readonly struckAt: number | null
  /** The message at which the fault struck, as `database request`. */
  readonly struck: string | null
  next(): number
  /** @returns whether the fault struck here, so that nothing more is passed on */
  reach(at: number, when: Strike['when'], what: string, cut: () => void): boolean
}

export function createMeter(): Meter {
  let counting = false
  let count = 0
  let strike: Strike | undefined
  let struckAt: number | null = null
  let struck: string | null = null
  return {
    start(next) {
      counting = true
      count = 0
      strike = next
      struckAt = null
      struck = null
    },
    stop() {
      counting = false
      strike = undefined
      return count
    },
    get struckAt() {
      return struckAt
    },
    get struck() {
      return struck
    },
    next() {
      if (counting) count += 1
      return counting ? count : 0
    },
    reach(at, when, what, cut) {
      if (strike?.at !== at || strike.when !== when) return false
      const { hit } = strike
      strike = undefined
      struckAt = performance.now()
      struck = what
      hit(cut)
      return true
    },
  }
}
