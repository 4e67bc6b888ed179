export type StoredReading = {
  /** The time to ask from; null: never read. */
  lastSyncTime: Date | null
  /** Replaces it after one more run from there; null: no repetition is due. */
  nextSyncTime: Date | null
  /** Start of the last trusted full load; null: the next run is one. */
  fullLoadAt: Date | null
  /** Whether any record of this type exists. */
  filled: boolean
}

const HOUR_MS = 3_600_000

/**
 * Decides from which time a run asks (contract section 8, "Sync").
 * @param watermark of the run, if it is known: by a supplier's clock that was set back, changes are older than what was read
 * @returns null for a full load: without state or records, after `fullHours`, or if a stored time is in the future because
 * a clock was wrong
 */
export function readingSince(
  { lastSyncTime, fullLoadAt, filled }: StoredReading,
  now: Date,
  fullHours: number,
  watermark = now,
): Date | null {
  if (lastSyncTime === null || fullLoadAt === null || !filled) return null
  if (lastSyncTime > watermark || fullLoadAt > now) return null
  return now.getTime() - fullLoadAt.getTime() >= fullHours * HOUR_MS ? null : lastSyncTime
}

/** Start of a run by our or the supplier's clock, whichever is earlier. */
export function watermarkOf(beganAt: Date, supplierTime: Date | null): Date {
  return supplierTime !== null && supplierTime < beganAt ? supplierTime : beganAt
}

/**
 * Computes the state to store after a run. An incremental list of several pages may have shifted while it was read, so the
 * next run asks from the same time again; after that, the time to ask from is the start of the first of the two runs.
 * @param since the time that the run asked from; null: a full load
 * @param began the run's watermark
 */
export function readingAfter(
  { since, nextSyncTime }: { since: Date | null; nextSyncTime: Date | null },
  began: Date,
  pages: number,
): { lastSyncTime: Date; nextSyncTime: Date | null } {
  if (since === null || pages <= 1) return { lastSyncTime: began, nextSyncTime: null }
  if (nextSyncTime === null) return { lastSyncTime: since, nextSyncTime: began }
  return { lastSyncTime: nextSyncTime, nextSyncTime: null }
}

/** A full load of products compared with our active ones. */
export type FullLoad = {
  /** Products that it did not list. */
  missed: number
  /** Products that the previous full load missed, and those of them that this one missed, too. */
  missedBefore: number
  missedTwice: number
  /** Products that it could have listed. */
  all: number
  /** Whether it, and the previous one, listed nothing. */
  empty: boolean
  emptyBefore: boolean
}

type Verdict = {
  /** For staff: why the load is not trusted. Its watermark is not stored, and the next run is a full load, too. */
  warning: string | null
  /** Whether products that were missed twice are deactivated. */
  deactivate: boolean
  /** Whether an operator has to decide if the missing products are gone. */
  waitsForAcceptance: boolean
}

/** A larger share of missing products is considered a fault of the supplier. */
const MAX_MISSED_SHARE = 0.2
const HOW_TO_ACCEPT = 'To deactivate them: POST /admin/sync/run?acceptVanished=true'

/**
 * Judges a full load of products (contract section 8, "Sync"): products are gone if two full loads in a row missed them.
 * A load that misses too many proves nothing, not even together with the next one.
 * @param accepted an operator confirms that many are gone; does not apply to those missed for the first time
 */
export function judgeFullLoad(load: FullLoad, accepted: boolean): Verdict {
  const { missed, missedBefore, all, empty, emptyBefore } = load
  const limit = accepted ? all : all * MAX_MISSED_SHARE
  if (missed > limit) {
    const facts = `${missed} of ${all} active products are missing from the supplier's full list`
    const warning = `${facts}; none was made inactive. ${HOW_TO_ACCEPT}`
    return { warning, deactivate: false, waitsForAcceptance: true }
  }
  const gone = missedBefore > limit ? 0 : load.missedTwice
  const decided = { deactivate: gone > 0, waitsForAcceptance: false }
  const remedy = 'the next run is a full load, too'
  if (missed > gone) {
    const facts = `${missed - gone} of ${all} active products were missing from the supplier's full list for the first time`
    return { warning: `${facts}; ${remedy}`, ...decided }
  }
  if (empty && missed === 0 && !emptyBefore && !accepted) {
    return { warning: `The supplier's full list of products is empty; ${remedy}`, ...decided }
  }
  return { warning: null, ...decided }
}
