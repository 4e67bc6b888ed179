import { findProducts, findShownProducts } from '../../../db/queries/catalogue/products.ts'
import type { Deps } from '../../deps.ts'
import { type JsonBytes, toJsonBytes } from '../../runtime/cache/json-bytes.ts'
import type { CachedRecord } from '../../runtime/cache/record-cache.ts'
import type { SearchResult } from '../../runtime/search/product-search.ts'
import { pageNumbers } from '../../schemas/common.ts'
import type { Product, ProductQuery } from '../../schemas/products.ts'
import { type Answer, answer, listing } from './answers.ts'
import { productContext, toProduct, toStaffProduct } from './product-json.ts'
import { type ProductList, readProductQuery, resolveFilter } from './product-query.ts'

type ListDeps = Pick<Deps, 'db' | 'cached' | 'productSearch'>

const NOTHING: SearchResult = { ids: [], total: 0, corrected: null }
/** The cache drops changed products, so that any entry is current. */
const NO_VERSION = 0

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
  return joinProducts(deps, ids, staff, (products) => listing(products, rest, list.filter.inStock))
}

/** Products in the order of the ids; one that was deleted meanwhile is left out. */
function joinProducts<R>(
  deps: ListDeps,
  ids: number[],
  staff: boolean,
  join: (products: { id: number; json: Buffer; available: boolean }[]) => R,
): Promise<R> {
  const read = async (missing: number[]) => {
    const context = await productContext(deps, staff)
    const products = staff
      ? (await findProducts(deps.db, missing)).map((row) => toStaffProduct(row, context))
      : (await findShownProducts(deps.db, missing)).map((row) => toProduct(row, context))
    return new Map(products.map((product) => [product.id, toRecord(product)]))
  }
  const { products, staffProducts } = deps.cached
  const wanted = ids.map((id) => ({ id, version: NO_VERSION }))
  return (staff ? staffProducts : products).joinAll(wanted, read, join)
}

function toRecord(product: Product): CachedRecord {
  return { json: toJsonBytes(product), version: NO_VERSION, available: product.available }
}
