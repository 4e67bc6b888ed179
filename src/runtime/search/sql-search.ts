import type { Db } from '../../../db/database.ts'
import { countProducts, listProductIds } from '../../../db/queries/catalogue/products.ts'
import type { SearchFilter, SearchPage, SearchResult } from './product-search.ts'

/** Answers a list without a search from the database, while the index is loading. */
export async function searchDatabase(
  db: Db,
  { tokens, ...filter }: SearchFilter,
  { order, page, size }: SearchPage,
): Promise<SearchResult> {
  if (tokens.length > 0 || order === 'match') throw new Error('The database does not search names')
  const total = await countProducts(db, filter)
  const ids = page * size < total ? await listProductIds(db, filter, order, { page, size }) : []
  return { ids, total, corrected: null }
}
