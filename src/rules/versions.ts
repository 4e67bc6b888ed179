import { stale } from '../errors.ts'

/** Which record is to be changed; `ifMatch` is the header, if it was sent (contract section 1, "Lost updates"). */
export type Target = { id: number; ifMatch?: string | undefined }

/**
 * The version that an `If-Match` names (contract section 1, "Lost updates").
 * @returns undefined when any will do; NaN, which is nobody's, for what is no version of ours
 */
function readIfMatch(header: string | undefined): number | undefined {
  if (header === undefined || header.trim() === '*') return undefined
  return Number(/^"(\d{1,10})"$/.exec(header.trim())?.[1] ?? Number.NaN)
}

/** Whether a write was meant for another version of the record. */
export function isStale(ifMatch: string | undefined, version: number): boolean {
  const wanted = readIfMatch(ifMatch)
  return wanted !== undefined && wanted !== version
}

/**
 * Refuses a write that was meant for another version of the record.
 * @param current the record as staff see it now
 * @throws AppError 412 STALE
 */
export function refuseStale(ifMatch: string | undefined, version: number, current: () => object): void {
  if (isStale(ifMatch, version)) throw stale(current())
}
