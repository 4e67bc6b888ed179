import { AppError } from '../errors.ts'

/** The record to change, and the `If-Match` header (contract section 1, "Lost updates"). */
export type Target = { id: number; ifMatch?: string }

/** Whether a write expects other versions of the record than the present one (RFC 9110, section 13.1.1). */
export function isStale(ifMatch: string | undefined, version: number): boolean {
  if (ifMatch === undefined || ifMatch.trim() === '*') return false
  return !ifMatch.split(',').some((tag) => [`"${version}"`, `${version}`].includes(tag.trim()))
}

/**
 * Rejects a write that expects another version of the record.
 * @param current returns the record as staff see it
 * @throws AppError 412 STALE
 */
export async function refuseStale(
  ifMatch: string | undefined,
  version: number,
  current: () => object | Promise<object>,
): Promise<void> {
  if (!isStale(ifMatch, version)) return
  const body = { current: await current() }
  throw new AppError(412, 'STALE', 'The record has changed since it was read', { body })
}
