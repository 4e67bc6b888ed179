import { stale } from '../errors.ts'

/** The record to change, and the `If-Match` header (contract section 1, "Lost updates"). */
export type Target = { id: number; ifMatch?: string | undefined }

/** Parses `If-Match`. @returns undefined if any version matches; NaN, which matches none, if it isn't a version */
function readIfMatch(header: string | undefined): number | undefined {
  if (header === undefined || header.trim() === '*') return undefined
  return Number(/^"(\d{1,10})"$/.exec(header.trim())?.[1] ?? Number.NaN)
}

/** Whether a write expects another version of the record. */
export function isStale(ifMatch: string | undefined, version: number): boolean {
  const wanted = readIfMatch(ifMatch)
  return wanted !== undefined && wanted !== version
}

/**
 * Rejects a write that expects another version of the record.
 * @param current returns the record as staff see it
 * @throws AppError 412 STALE
 */
export function refuseStale(ifMatch: string | undefined, version: number, current: () => object): void {
  if (isStale(ifMatch, version)) throw stale(current())
}
