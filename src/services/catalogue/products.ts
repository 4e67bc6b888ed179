import type { ProductFilter, ProductOrder } from '../../../db/queries/catalogue/product-filter.ts'
import {
  countProducts,
  findProducts,
  findShownProducts,
  listProductIds,
} from '../../../db/queries/catalogue/products.ts'
import { isTagEnabled } from '../../../db/queries/catalogue/tags.ts'
import { PRODUCT_SORT, type ProductsTable } from '../../../db/tables/products.ts'
import type { Deps } from '../../deps.ts'
import { readAttributeFilters } from '../../rules/catalogue/attribute-filter.ts'
import { subtreeOf } from '../../rules/catalogue/category-tree.ts'
import { readSearch, type SearchWord } from '../../rules/catalogue/search.ts'
import { readIdList, readSort } from '../../rules/lists.ts'
import { type JsonBytes, toJsonBytes } from '../../runtime/cache/json-bytes.ts'
import type { CachedRecord } from '../../runtime/cache/record-cache.ts'
import { EVERY_ACTIVE_INDEXED, type IndexFilter } from '../../runtime/search/column-store.ts'
import type { ProductColumns } from '../../runtime/search/product-columns.ts'
import type { IndexOrder } from '../../runtime/search/sort-orders.ts'
import { pageNumbers } from '../../schemas/common.ts'
import type { Product, ProductQuery } from '../../schemas/products.ts'
import { type Answer, answer, listing } from './answers.ts'
import { categoryTree } from './categories.ts'
import { currentProducts, learnNames, lookUp, productsAtHand, toIndexFilter } from './product-index.ts'
import { type ProductContext, productContext, toProduct, toStaffProduct } from './product-json.ts'
import { correct } from './search.ts'

type Reading = Pick<Deps, 'db' | 'cached' | 'productIndex'>

/**
 * A page of products as JSON (contract section 4). The public sees active products only; its answers are cached.
 * @throws AppError 400 for an unknown sort field
 */
export async function listProducts(deps: Reading, query: ProductQuery, staff: boolean): Promise<JsonBytes> {
  const list = readQuery(query)
  return answer(deps, `products ${JSON.stringify(list)}`, staff, () => loadPage(deps, list, staff))
}

/**
 * The filter of a list as staff see it, with what its search finds; null: nothing can match. Nothing misspelt is
 * corrected.
 */
export async function staffFilter(
  deps: Reading,
  filter: Omit<ProductQuery, 'page' | 'size' | 'sort'>,
): Promise<ProductFilter | null> {
  const list = readQuery({ ...filter, page: 0, size: 1 })
  const wanted = toFilter(list, await categoryTree(deps), true)
  if (wanted === null || list.filter.tokens.length === 0) return wanted
  const products = await currentProducts(deps)
  const words = await lookUp(deps, products, wordsOf(list))
  return { ...wanted, ids: allIds(products, { ...EVERY_ACTIVE_INDEXED, active: null, words }) }
}

/** A list's query as anyone may ask it: the same one for two that mean the same, and what it comes to. */
export function publicSearch(query: Omit<ProductQuery, 'page' | 'size'>) {
  const list = readQuery({ ...query, active: true, page: 0, size: 1 })
  return {
    filter: list.filter,
    /** Null: nothing can match. */
    async resolve(deps: Reading, products: ProductColumns): Promise<IndexFilter | null> {
      const wanted = await wantedBy(deps, list, false)
      const count = (filter: IndexFilter) => products.find(filter, COUNT)
      return wanted && (await understand(deps, products, list, wanted, count)).filter
    },
  }
}

/** A request for a list, normalised: two that mean the same are the same. */
type ProductList = ReturnType<typeof readQuery>

function readQuery({ search, sort, page, size, ...filter }: ProductQuery) {
  const tokens = search === undefined ? [] : readSearch(search)
  return {
    filter: {
      categoryId: filter.categoryId ?? null,
      brandIds: filter.brandId ? readIdList(filter.brandId, 'brandId').sort((a, b) => a - b) : null,
      tagId: filter.tagId ?? null,
      minPrice: filter.minPrice ?? null,
      maxPrice: filter.maxPrice ?? null,
      active: filter.active ?? null,
      inStock: filter.inStock === true,
      attributes: readAttributeFilters(filter),
      tokens,
    },
    order: readOrder(sort, tokens.length > 0),
    page,
    size,
  }
}

/** `match`: the best match of the search first. */
function readOrder(sort: string | undefined, searching: boolean): ProductOrder | 'match' {
  return searching && !sort ? 'match' : readSort(sort, PRODUCT_SORT, 'id')
}

function wordsOf({ filter }: ProductList): SearchWord[] {
  return filter.tokens.flatMap(({ words }) => words)
}

async function loadPage(deps: Reading, list: ProductList, staff: boolean): Promise<Answer> {
  const wanted = await wantedBy(deps, list, staff)
  const { ids, total, corrected } = wanted === null ? NOTHING : await findPage(deps, list, wanted)
  const rest = { ...pageNumbers(total, list), correctedSearch: corrected }
  return showProducts(deps, ids, staff, (products) => listing(products, rest, list.filter.inStock))
}

type Found = { ids: number[]; total: number }
/** `corrected`: the search that was taken for the given one. */
type FoundPage = Found & { corrected: string | null }
const NOTHING: FoundPage = { ids: [], total: 0, corrected: null }

/** A search waits for the products in memory; another list is found by the database while they are being read. */
async function findPage(deps: Reading, list: ProductList, wanted: ProductFilter): Promise<FoundPage> {
  const searching = list.filter.tokens.length > 0
  const products = await (searching ? currentProducts(deps) : productsAtHand(deps))
  if (products === null) return findByDatabase(deps, list, wanted)
  const { order, page, size } = list
  const descending = order !== 'match' && order.descending
  const known = order === 'match' ? order : (ORDERS[order.columns[0] ?? 'id'] ?? 'id')
  const place = { order: known, descending, offset: page * size, size }
  const find = async (filter: IndexFilter): Promise<Found> => {
    if (known === 'name' && !products.knowsNames) await learnNames(deps, products)
    // Nothing may be waited for between this question and the next answer.
    if (known !== 'name' || products.knowsNames) return products.find(filter, place)
    const { total } = products.find(filter, COUNT)
    const narrowed = { ...wanted, ids: searching ? allIds(products, filter) : null }
    return { ids: await listIds(deps, list, narrowed, total), total }
  }
  const { found, corrected } = await understand(deps, products, list, wanted, find)
  return { ...found, corrected }
}

/** The orders that the products in memory have, by their first columns. */
const ORDERS: { [column in keyof ProductsTable]?: IndexOrder } = {
  id: 'id',
  search_name: 'name',
  final_price: 'price',
  stock: 'stock',
  created_at: 'createdAt',
}

async function findByDatabase(deps: Reading, list: ProductList, wanted: ProductFilter): Promise<FoundPage> {
  const total = await countProducts(deps.db, wanted)
  return { ids: await listIds(deps, list, wanted, total), total, corrected: null }
}

async function listIds({ db }: Reading, list: ProductList, wanted: ProductFilter, total: number) {
  const { order, page, size } = list
  return order === 'match' || page * size >= total ? [] : listProductIds(db, wanted, order, list)
}

const COUNT = { order: 'id', descending: false, offset: 0, size: 0 } as const

function allIds(products: ProductColumns, filter: IndexFilter): number[] {
  return products.find(filter, { ...COUNT, size: Number.MAX_SAFE_INTEGER }).ids
}

/** What a list finds with the words of its search, or with those that were meant by them. */
async function understand(
  deps: Reading,
  products: ProductColumns,
  list: ProductList,
  wanted: ProductFilter,
  find: (filter: IndexFilter) => Found | Promise<Found>,
): Promise<{ filter: IndexFilter; found: Found; corrected: string | null }> {
  const { tokens } = list.filter
  const filter = await toIndexFilter(deps, wanted, await lookUp(deps, products, wordsOf(list)))
  const found = await find(filter)
  const words = found.total > 0 || tokens.length === 0 ? null : await correct(deps, products, tokens)
  if (words === null) return { filter, found, corrected: null }
  const meant = { ...filter, words }
  return { filter: meant, found: await find(meant), corrected: words.map(({ text }) => text).join(' ') }
}

/** The products as a list has them, in the order of the ids; one that is gone meanwhile is left out. */
function showProducts<R>(
  deps: Reading,
  ids: number[],
  staff: boolean,
  join: (products: { id: number; json: Buffer; available: boolean }[]) => R,
): Promise<R> {
  const read = async (missing: number[]) => {
    const context = await productContext(deps, staff)
    const shown = staff
      ? (await findProducts(deps.db, missing)).map((row) => toStaffProduct(row, context))
      : (await findShownProducts(deps.db, missing)).map((row) => toProduct(row, context))
    return new Map(shown.map((product) => [product.id, toRecord(product)]))
  }
  const { products, staffProducts } = deps.cached
  const wanted = ids.map((id) => ({ id, version: NO_VERSION }))
  return (staff ? staffProducts : products).joinAll(wanted, read, join)
}

/** Any is as good: those that are stale are dropped. */
const NO_VERSION = 0

function toRecord(product: Product): CachedRecord {
  return { json: toJsonBytes(product), version: NO_VERSION, available: product.available }
}

/** Null: nothing can match. */
async function wantedBy(deps: Reading, list: ProductList, staff: boolean): Promise<ProductFilter | null> {
  if (!(await mayShowTag(deps, list, staff))) return null
  return toFilter(list, await categoryTree(deps), staff)
}

/** To the public a tag that is switched off is none. */
async function mayShowTag({ db }: Reading, { filter }: ProductList, staff: boolean): Promise<boolean> {
  return staff || filter.tagId === null || (await isTagEnabled(db, filter.tagId))
}

/** Null: nothing can match. */
function toFilter(
  { filter }: ProductList,
  tree: ProductContext['tree'],
  staff: boolean,
): ProductFilter | null {
  const { categoryId, tokens: _, ...same } = filter
  const category = categoryId === null ? null : tree.byId.get(categoryId)
  if (category === undefined) return null
  if (!staff && filter.active === false) return null
  if (filter.minPrice !== null && filter.maxPrice !== null && filter.minPrice > filter.maxPrice) return null
  return {
    ...same,
    active: staff ? filter.active : true,
    categoryIds: category && subtreeOf(category).map(({ row }) => row.id),
    ids: null,
  }
}
