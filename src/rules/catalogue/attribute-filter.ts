import { invalid } from '../../errors.ts'

/** Attributes that a list is narrowed by: any of the values of a name, and all of the names. */
export type AttributeFilter = { name: string; values: string[] }

const MAX_NAMES = 10
const PREFIX = 'attr.'

/**
 * Reads `attr.<name>=<value>` of a query (contract section 4), in an order of its own: two that mean the same are the same.
 * @throws AppError 400
 */
export function readAttributeFilters(query: object): AttributeFilter[] {
  const filters = Object.entries(query)
    .filter(([key]) => key.startsWith(PREFIX))
    .map(([key, value]) => ({
      name: key.slice(PREFIX.length),
      values: [...new Set([value].flat().map(String))].sort(),
    }))
    .sort((a, b) => (a.name < b.name ? -1 : 1))
  if (filters.length <= MAX_NAMES) return filters
  throw invalid({ path: 'querystring', message: `must name at most ${MAX_NAMES} attributes` })
}
