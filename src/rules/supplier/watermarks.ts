/** How far records of a type were read. */
export type StoredWatermark = {
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
 * Decides from which time a run asks (docs/supplier.md).
 * @param watermark of the run, if it is known: by a supplier's clock that was set back, changes are older than what was read
 * @returns null for a full load: without state or records, after `fullHours`, or if a stored time is in the future because
 * a clock was wrong
 */
export function decideSince(
  { lastSyncTime, fullLoadAt, filled }: StoredWatermark,
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
export function watermarkAfter(
  { since, nextSyncTime }: { since: Date | null; nextSyncTime: Date | null },
  began: Date,
  pages: number,
): { lastSyncTime: Date; nextSyncTime: Date | null } {
  if (since === null || pages <= 1) return { lastSyncTime: began, nextSyncTime: null }
  if (nextSyncTime === null) return { lastSyncTime: since, nextSyncTime: began }
  return { lastSyncTime: nextSyncTime, nextSyncTime: null }
}
