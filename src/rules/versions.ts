/**
 * The version that an `If-Match` names (contract section 1, "Lost updates").
 * @returns undefined when any will do; NaN, which is nobody's, for what is no version of ours
 */
export function readIfMatch(header: string | undefined): number | undefined {
  if (header === undefined || header.trim() === '*') return undefined
  return Number(/^"(\d{1,10})"$/.exec(header.trim())?.[1] ?? Number.NaN)
}
