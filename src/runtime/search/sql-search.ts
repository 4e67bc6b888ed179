import type { Db } from '../../../db/database.ts'
import { countProducts, listProductIds } from '../../../db/queries/catalogue/products.ts'
import type { ProductSearch } from './product-search.ts'

/** Answers lists without a search from the database, while the index is loading. */
export function createSqlSearch(db: Db): Pick<ProductSearch, 'page'> {
  return {
    async page({ tokens, ...filter }, { order, page, size }) {
      if (tokens.length > 0 || order === 'match') throw new Error('The database does not search names')
      const total = await countProducts(db, filter)
      const ids = page * size < total ? await listProductIds(db, filter, order, { page, size }) : []
      return { ids, total, corrected: null }
    },
  }
}
