export type Sort<F extends string> = { field: F; descending: boolean }

/**
 * Reads `field`, `field,asc` or `field,desc` (contract section 1, "Pages").
 * @returns null when that isn't one of the fields, or no direction
 */
export function parseSort<F extends string>(text: string, fields: readonly F[]): Sort<F> | null {
  const [name, direction = 'asc', ...rest] = text.split(',').map((part) => part.trim())
  const field = fields.find((known) => known === name)
  const word = direction.toLowerCase()
  if (field === undefined || rest.length > 0 || (word !== 'asc' && word !== 'desc')) return null
  return { field, descending: word === 'desc' }
}
