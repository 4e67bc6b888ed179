import { findProducts, findShownProducts } from '../../../db/queries/catalogue/products.ts'
import type { Deps } from '../../deps.ts'
import { type JsonBytes, toJsonBytes } from '../../runtime/cache/json-bytes.ts'
import type { CachedRecord } from '../../runtime/cache/record-cache.ts'
import type { SearchResult } from '../../runtime/search/product-search.ts'
import { pageNumbers } from '../../schemas/common.ts'
import type { ProductQuery } from '../../schemas/products.ts'
import { type Answer, answer, listing } from './answers.ts'
import { productContext, toProduct, toStaffProduct } from './product-json.ts'
import { type ProductList, readProductQuery, resolveFilter } from './product-query.ts'

type ListDeps = Pick<Deps, 'db' | 'cached' | 'productSearch'>

const NOTHING: SearchResult = { ids: [], total: 0, corrected: null }

/**
 * A page of products as JSON (contract section 4). The public sees active products only; its answers are cached.
 * @throws AppError 400
 */
export async function listProducts(deps: ListDeps, query: ProductQuery, staff: boolean): Promise<JsonBytes> {
  const list = readProductQuery(query)
  return answer(deps, `products ${JSON.stringify(list)}`, staff, () => loadPage(deps, list, staff))
}

async function loadPage(deps: ListDeps, list: ProductList, staff: boolean): Promise<Answer> {
  const filter = await resolveFilter(deps, list.filter, staff)
  const { ids, total, corrected } = filter === null ? NOTHING : await deps.productSearch.page(filter, list)
  const rest = { ...pageNumbers(total, list), correctedSearch: corrected }
  const products = await productRecords(deps, ids, staff)
  return listing(products, rest, list.filter.inStock)
}

/** Products in the order of the ids; deleted ones are left out. */
function productRecords(deps: ListDeps, ids: number[], staff: boolean): Promise<CachedRecord[]> {
  const { products, staffProducts } = deps.cached
  return (staff ? staffProducts : products).getAll(ids, async (missing) => {
    const context = await productContext(deps, staff)
    const found = staff
      ? (await findProducts(deps.db, missing)).map((row) => toStaffProduct(row, context))
      : (await findShownProducts(deps.db, missing)).map((row) => toProduct(row, context))
    return found.map((product) => ({
      id: product.id,
      json: toJsonBytes(product),
      available: product.available,
    }))
  })
}
