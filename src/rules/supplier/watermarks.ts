export type Reading = {
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
 * @returns null for a full load: without state or records, after `fullHours`, or if a stored time is in the future because
 * a clock was wrong
 */
export function readingSince(
  { lastSyncTime, fullLoadAt, filled }: Reading,
  now: Date,
  fullHours: number,
): Date | null {
  if (lastSyncTime === null || fullLoadAt === null || !filled) return null
  if (lastSyncTime > now || fullLoadAt > now) return null
  return now.getTime() - fullLoadAt.getTime() >= fullHours * HOUR_MS ? null : lastSyncTime
}

/** Start of a run by our or the supplier's clock, whichever is earlier. */
export function watermarkOf(beganAt: Date, supplierTime: Date | null): Date {
  return supplierTime !== null && supplierTime < beganAt ? supplierTime : beganAt
}

/**
 * Computes the state to store after an incremental run. A list of several pages may have shifted while it was read, so the
 * next run asks from the same time again; after that, the time to ask from is the start of the first of the two runs.
 * @param began the run's watermark
 */
export function readingAfter(
  { lastSyncTime, nextSyncTime }: Reading,
  began: Date,
  pages: number,
): { lastSyncTime: Date; nextSyncTime: Date | null } {
  if (pages <= 1 || lastSyncTime === null) return { lastSyncTime: began, nextSyncTime: null }
  if (nextSyncTime === null) return { lastSyncTime, nextSyncTime: began }
  return { lastSyncTime: nextSyncTime, nextSyncTime: null }
}
