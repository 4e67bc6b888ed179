import { invalid } from './errors.ts'
import { parseSort, type Sort } from './rules/sort.ts'

/**
 * The `sort` of a list (contract section 1, "Pages").
 * @throws AppError 400 that names the fields there are
 */
export function readSort<F extends string>(text: string, fields: readonly F[]): Sort<F> {
  const sort = parseSort(text, fields)
  if (sort !== null) return sort
  const message = `must be one of ${fields.join(', ')}, alone or followed by ,asc or ,desc`
  throw invalid({ path: 'querystring.sort', message })
}
