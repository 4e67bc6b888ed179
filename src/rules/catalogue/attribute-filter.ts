import { invalid } from '../../errors.ts'
import { attributeKey } from './attributes.ts'

/** Matches products with any of the values, each in any writing. */
export type AttributeFilter = { name: string; values: string[] }

const MAX_NAMES = 10
const PREFIX = 'attr.'

/**
 * Reads `attr.<name>=<value>` of a query (contract section 4), sorted so that equal filters give equal results.
 * @throws AppError 400
 */
export function readAttributeFilters(query: object): AttributeFilter[] {
  const filters = Object.entries(query)
    .filter(([key]) => key.startsWith(PREFIX))
    .map(([key, value]) => ({
      name: key.slice(PREFIX.length),
      values: [...new Set([value].flat().map(keyOf))].sort(),
    }))
    .sort((a, b) => (a.name < b.name ? -1 : 1))
  if (filters.length <= MAX_NAMES) return filters
  throw invalid({ path: 'querystring', message: `must name at most ${MAX_NAMES} attributes` })
}

function keyOf(value: unknown): string {
  return attributeKey(String(value).trim().normalize())
}
