/** How far a type was read. */
export type Reading = {
  /** The moment to ask from; null: never read. */
  lastSyncTime: Date | null
  /** What follows it after one more run from there; null: nothing has to be asked for again. */
  nextSyncTime: Date | null
  /** When the last full load began that counts; null: the next run is one. */
  fullLoadAt: Date | null
  /** Whether we have a record of this type at all. */
  filled: boolean
}

const HOUR_MS = 3_600_000

/**
 * From which moment a run asks that begins now (contract section 8, "Sync").
 * @returns null for a full load: when there is no state, one is owed, the last one is `fullHours` old, we have nothing
 * that could be brought up to date, or a time lies in the future, so that a clock was wrong
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

/** The moment that a run may store: when it began, by our clock or by the supplier's, whichever is earlier. */
export function watermarkOf(beganAt: Date, supplierTime: Date | null): Date {
  return supplierTime !== null && supplierTime < beganAt ? supplierTime : beganAt
}

/**
 * What an incremental run that succeeded stores. A list of several pages may have shifted while it was read: each
 * moment is then asked from twice, and the second time what follows is the moment when the first of the two began, so
 * that what changed meanwhile is asked for twice as well.
 * @param began the run's watermark
 * @param pages how many it read
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
