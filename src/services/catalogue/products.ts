import { countSales } from '../../../db/queries/catalogue/product-index.ts'
import {
  findProduct,
  findProductBySlug,
  findProducts,
  findPublicProduct,
  findPublicProducts,
} from '../../../db/queries/catalogue/products.ts'
import type { Answer, CachedProduct, Deps } from '../../deps.ts'
import { notFound } from '../../errors.ts'
import type { EncodedBody } from '../../runtime/cache/encoded-body.ts'
import { toJsonBytes } from '../../runtime/cache/json-bytes.ts'
import type { SearchResult } from '../../runtime/search/product-search.ts'
import { write } from '../../runtime/write.ts'
import { pageNumbers } from '../../schemas/lists.ts'
import type { ProductCard, ProductQuery } from '../../schemas/products.ts'
import { answer, answerBySlug, type BySlug, listing, showing } from './answers.ts'
import { productContext, toCard, toProduct } from './product-json.ts'
import { type ProductList, readProductQuery, resolveFilter } from './product-query.ts'

/** Sales count for the order of matches over this time (contract section 4, "search"). */
const SALES_DAYS = 90

const NOTHING: SearchResult = { ids: [], total: 0, corrected: null }

/**
 * A page of products as JSON (contract section 4). The public sees active products only; its answers are cached.
 * @throws AppError 400; 429 for too many corrections
 */
export async function listProducts(deps: Deps, query: ProductQuery, staff: boolean): Promise<EncodedBody> {
  const list = readProductQuery(query)
  const byDemand = list.order === 'match' || list.order.columns[0] === 'popularity'
  const isRanked = !staff && (byDemand || list.filter.inStock)
  const version = isRanked ? await deps.productSearch.rankVersion() : ''
  return answer(deps, `products ${JSON.stringify(list)} ${version}`, staff, () => loadPage(deps, list, staff))
}

async function loadPage(deps: Deps, list: ProductList, staff: boolean): Promise<Answer> {
  const filter = await resolveFilter(deps, list.filter, staff)
  const { ids, total, corrected } = filter === null ? NOTHING : await deps.productSearch.page(filter, list)
  const rest = { ...pageNumbers(total, list), correctedSearch: corrected }
  const products = await productRecords(deps, ids, staff)
  return listing(products, rest)
}

/** Products in the order of the ids without deleted ones, for the public from the cache and without inactive ones. */
async function productRecords(deps: Deps, ids: number[], staff: boolean): Promise<CachedProduct[]> {
  const read = async (missing: string[]) => {
    const context = await productContext(deps, staff)
    const rows = await (staff ? findProducts : findPublicProducts)(deps.db, missing.map(Number))
    // The index may not know yet what was deactivated a moment ago.
    const products = rows.filter(({ active }) => staff || active).map((row) => toProduct(row, context))
    return new Map(
      products.map((product) => {
        const { id, available } = product
        return [String(id), { id, available, json: toJsonBytes(product) }]
      }),
    )
  }
  const keys = ids.map(String)
  const records = await (staff ? read(keys) : deps.cached.products.getAll(keys, read))
  return keys.flatMap((key) => records.get(key) ?? [])
}

/** @throws AppError 404, for the public also when the product is inactive */
export function getProduct(deps: Deps, id: number, staff: boolean): Promise<EncodedBody> {
  return answer(deps, `product ${id}`, staff, async () => {
    const card = await loadCard(deps, id, staff)
    return showing(card, card)
  })
}

/** The attributes of the card. @throws AppError 404 as getProduct */
export function getProductAttributes(deps: Deps, id: number, staff: boolean): Promise<EncodedBody> {
  return answer(deps, `attributes ${id}`, staff, async () => {
    const card = await loadCard(deps, id, staff)
    return showing(card, card.attributes)
  })
}

/** The card of the product that has or had the slug. @throws AppError 404 */
export function getProductBySlug(deps: Deps, slug: string, staff: boolean): Promise<BySlug> {
  return answerBySlug(deps, 'product', slug, staff, {
    async find() {
      const owner = await findProductBySlug(deps.db, slug)
      return owner && (staff || owner.active) ? owner : null
    },
    get: (id) => getProduct(deps, id, staff),
  })
}

async function loadCard(deps: Deps, id: number, staff: boolean): Promise<ProductCard> {
  const context = await productContext(deps, staff)
  const row = await (staff ? findProduct : findPublicProduct)(deps.db, id)
  if (row === undefined || !(staff || row.active)) throw notFound('product')
  return toCard(row, context)
}

/** Updates the figures by which matches of a search are sorted. */
export async function refreshSales(deps: Deps): Promise<void> {
  await write(deps, async (tx) => tx.recordChange('demand', await countSales(tx.db, SALES_DAYS)))
}
