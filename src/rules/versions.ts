import { isDeepStrictEqual } from 'node:util'
import { AppError } from '../errors.ts'

/** The record to change, and the `If-Match` header (docs/http.md). */
export type Target<Id = number> = { id: Id; ifMatch?: string }

/**
 * Rejects a write that expects another version of the record (RFC 9110, section 13.1.1).
 * @param current returns the record as staff see it
 * @throws AppError 412 STALE
 */
export async function refuseStale(
  ifMatch: string | undefined,
  version: number,
  current: () => object | Promise<object>,
): Promise<void> {
  if (ifMatch === undefined || ifMatch.trim() === '*') return
  // Quotes are forgotten easily, and "the record has changed" would mislead.
  const isCurrent = ifMatch.split(',').some((tag) => [`"${version}"`, `${version}`].includes(tag.trim()))
  if (isCurrent) return
  const body = { current: await current() }
  throw new AppError(412, 'STALE', 'The record has changed since it was read', { body })
}

/** Whether an update changes the row; an undefined column keeps its value. */
export function hasChanges<Row extends object>(row: Row, values: { [Column in keyof Row]?: unknown }): boolean {
  return Object.entries(values).some(
    ([column, value]) => value !== undefined && !isDeepStrictEqual(Reflect.get(row, column), value),
  )
}
