import type { ProductFilter, ProductOrder } from '../../../db/queries/catalogue/product-filter.ts'
import {
  countProducts,
  findProductBySlug,
  findProductCard,
  findProductPage,
  findProducts,
  listProductIds,
} from '../../../db/queries/catalogue/products.ts'
import { isTagEnabled } from '../../../db/queries/catalogue/tags.ts'
import { PRODUCT_SORT } from '../../../db/tables/products.ts'
import type { Deps } from '../../deps.ts'
import { notFound } from '../../errors.ts'
import { readAttributeFilters } from '../../rules/catalogue/attribute-filter.ts'
import { subtreeOf } from '../../rules/catalogue/category-tree.ts'
import { readSearch } from '../../rules/catalogue/search.ts'
import { readIdList, readSort } from '../../rules/lists.ts'
import { pageNumbers } from '../../schemas/common.ts'
import type { ProductCard, ProductQuery } from '../../schemas/products.ts'
import { settingValues } from '../settings/settings.ts'
import { type Answer, answer, type BySlug, type JsonBytes, listing, showing } from './answers.ts'
import { categoryTree } from './categories.ts'
import { findInIndex } from './product-index.ts'
import { type ProductContext, toCard, toProduct } from './product-json.ts'
import { findMatches } from './search.ts'

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
 * A product's card as JSON.
 * @throws AppError 404 when there is none, or an inactive one that the caller may not see
 */
export function getProduct(deps: Reading, id: number, staff: boolean): Promise<JsonBytes> {
  return answer(deps, `product ${id}`, staff, async () => {
    const card = await loadCard(deps, id, staff)
    return showing(card, card)
  })
}

/** A product's attributes as JSON; visible to whom the card is. */
export function getProductAttributes(deps: Reading, id: number, staff: boolean): Promise<JsonBytes> {
  return answer(deps, `attributes ${id}`, staff, async () => {
    const card = await loadCard(deps, id, staff)
    return showing(card, card.attributes)
  })
}

/** The card by a slug that the product has or had (contract section 4, "Slugs"). @throws AppError 404 */
export async function getProductBySlug(deps: Reading, slug: string, staff: boolean): Promise<BySlug> {
  const find = async () => {
    const found = await findProductBySlug(deps.db, slug)
    return found && (staff || found.active) ? { id: found.id, slug: found.slug } : null
  }
  const found = await (staff ? find() : deps.cached.slugs.get(`product ${slug}`, find))
  if (found === null) throw notFound('product')
  return found.slug === slug ? { json: await getProduct(deps, found.id, staff) } : { movedTo: found.slug }
}

/** The filter of a list as staff see it; null: nothing can match. Nothing misspelt is corrected. */
export function staffFilter(
  filter: Omit<ProductQuery, 'page' | 'size' | 'sort'>,
  tree: ProductContext['tree'],
): ProductFilter | null {
  return toFilter(readQuery({ ...filter, page: 0, size: 1 }), tree, true)
}

/** A list's query as anyone may ask it: the same one for two that mean the same, and what it comes to. */
export function publicSearch(query: Omit<ProductQuery, 'page' | 'size'>) {
  const list = readQuery({ ...query, active: true, page: 0, size: 1 })
  return {
    filter: list.filter,
    /** Null: nothing can match. */
    async resolve(deps: Reading): Promise<ProductFilter | null> {
      const tree = await categoryTree(deps)
      const wanted = (await mayShowTag(deps, list, false)) ? toFilter(list, tree, false) : null
      if (wanted === null || wanted.words.length === 0) return wanted
      return (await findMatches(deps, wanted, list.filter.tokens)).filter
    },
  }
}

/** A request for a list, normalised: two that mean the same are the same. */
type ProductList = ReturnType<typeof readQuery>

function readQuery({ search, sort, page, size, ...filter }: ProductQuery) {
  const tokens = readSearch(search ?? '')
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

function readOrder(sort: string | undefined, searching: boolean): ProductOrder {
  return searching && !sort ? 'relevance' : readSort(sort, PRODUCT_SORT, 'id')
}

async function loadPage(deps: Reading, list: ProductList, staff: boolean): Promise<Answer> {
  const tree = await categoryTree(deps)
  const wanted = (await mayShowTag(deps, list, staff)) ? toFilter(list, tree, staff) : null
  const { ids, total, corrected } =
    wanted === null ? { ids: [], total: 0, corrected: null } : await findPage(deps, list, wanted, staff)
  const context: ProductContext = { tree, config: await settingValues(deps), staff }
  const products = await showProducts(deps, ids, context)
  return listing(products, { ...pageNumbers(total, list), correctedSearch: corrected }, list.filter.inStock)
}

async function findPage(
  deps: Reading,
  list: ProductList,
  wanted: ProductFilter,
  staff: boolean,
): Promise<{ ids: number[]; total: number; corrected: string | null }> {
  const { order, page, size } = list
  const readIds = async (filter: ProductFilter, total: number) =>
    page * size >= total ? [] : listProductIds(deps.db, filter, order, list)
  const byId = order !== 'relevance' && order.columns[0] === 'id'
  const descending = byId && order.descending
  const indexed = await findInIndex(deps, wanted, { descending, offset: page * size, size: byId ? size : 0 })
  if (indexed !== null) {
    const { total } = indexed
    return { ids: byId ? indexed.ids : await readIds(wanted, total), total, corrected: null }
  }
  let read: number[] | undefined
  const count = async (filter: ProductFilter) => {
    if (filter.words.length === 0) return countProducts(deps.db, filter)
    const { ids, total } = await findProductPage(deps.db, filter, order, list)
    read = ids
    return total
  }
  const find = () => findMatches(deps, wanted, list.filter.tokens, count)
  // What can be had changes with every order: a count of that is not kept.
  const { filter, total, corrected } =
    staff || wanted.inStock ? await find() : await deps.cached.found.get(JSON.stringify(list.filter), find)
  return { ids: read ?? (await readIds(filter, total)), total, corrected }
}

/** The products as a list has them, in the order of the ids; one that is gone meanwhile is left out. */
async function showProducts(deps: Reading, ids: number[], context: ProductContext): Promise<Answer[]> {
  const read = async (missing: string[]) => {
    const rows = await findProducts(deps.db, missing.map(Number))
    const products = rows.map((row) => toProduct(row, context))
    return new Map(products.map((product) => [String(product.id), showing(product, product)]))
  }
  if (ids.length === 0) return []
  const keys = ids.map(String)
  const { products, staffProducts } = deps.cached
  const shown = await (context.staff ? staffProducts : products).getAll(keys, read)
  return keys.flatMap((key) => shown.get(key) ?? [])
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
  const { categoryId, tokens, ...same } = filter
  const category = categoryId === null ? null : tree.byId.get(categoryId)
  if (category === undefined) return null
  if (!staff && filter.active === false) return null
  if (filter.minPrice !== null && filter.maxPrice !== null && filter.minPrice > filter.maxPrice) return null
  return {
    ...same,
    active: staff ? filter.active : true,
    categoryIds: category && subtreeOf(category).map(({ row }) => row.id),
    words: tokens.flatMap(({ words }) => words),
  }
}

async function loadCard(deps: Reading, id: number, staff: boolean): Promise<ProductCard> {
  const row = await findProductCard(deps.db, id)
  if (row === undefined || !(staff || row.active)) throw notFound('product')
  const context = { tree: await categoryTree(deps), config: await settingValues(deps), staff }
  return toCard(row, row.attributes, context)
}
