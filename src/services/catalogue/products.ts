import { countSales } from '../../../db/queries/catalogue/product-index.ts'
import {
  findProduct,
  findProducts,
  listIncompleteProducts,
  type ProductRow,
} from '../../../db/queries/catalogue/products.ts'
import { listTaggedProducts } from '../../../db/queries/catalogue/tags.ts'
import type { Deps } from '../../deps.ts'
import { AppError, invalid, notFound } from '../../errors.ts'
import { subtreeOf } from '../../rules/catalogue/category-tree.ts'
import * as filters from '../../rules/catalogue/product-filter.ts'
import { readSearch } from '../../rules/catalogue/search.ts'
import { commonIds } from '../../rules/lists.ts'
import { type EncodedBody, jsonBody, pageBody, toBytes } from '../../runtime/cache/encoded-body.ts'
import { type CorrectionLimit, UNLIMITED } from '../../runtime/search/product-search.ts'
import { write } from '../../runtime/write.ts'
import { pageNumbers } from '../../schemas/lists.ts'
import {
  Product,
  ProductAttributes,
  ProductCard,
  type ProductExportQuery,
  type ProductListQuery,
  ProductPageRest,
  StaffProduct,
  StaffProductCard,
} from '../../schemas/products.ts'
import { serialize } from '../../schemas/serialization.ts'
import { type CsvCell, type CsvFile, exportCsv, inOrder } from '../exports.ts'
import { answerBySlug, type BySlug, slugOwner } from './answers.ts'
import { categoryTree } from './categories.ts'
import { productContext, toCard, toProduct, toStaffCard, toStaffProduct } from './product-json.ts'

/** Matches are sorted by sales of this period (docs/search.md). */
const SALES_DAYS = 90

/** A page of products as JSON, for the public of active ones. @throws AppError 400; 429 for too many corrections */
export async function listProducts(
  deps: Deps,
  query: ProductListQuery,
  staff: boolean,
  limit: CorrectionLimit,
): Promise<EncodedBody> {
  const list = readProductQuery(query)
  const load = () => loadPage(deps, list, staff, limit)
  if (staff) return load()
  const version = await deps.productSearch.rankVersion()
  return deps.cached.answers.get(`products ${JSON.stringify(list)} ${version}`, load)
}

async function loadPage(deps: Deps, list: ProductList, staff: boolean, limit: CorrectionLimit): Promise<EncodedBody> {
  const filter = await resolveFilter(deps, list.filter, staff)
  const { ids, total, corrected } = await deps.productSearch.page(filter, list, limit)
  const products = await productRecords(deps, ids, staff)
  return pageBody(products, serialize(ProductPageRest, { ...pageNumbers(total, list), correctedSearch: corrected }))
}

/** Reads products in the order of the ids, skipping deleted ones; for the public from the cache, skipping inactive ones. */
async function productRecords(deps: Deps, ids: number[], staff: boolean): Promise<Buffer[]> {
  const read = async (missing: string[]) => {
    const context = await productContext(deps, staff)
    const rows = await findProducts(deps.db, missing.map(Number))
    // The index may not reflect a deactivation of a moment ago.
    const shown = rows.filter(({ active }) => staff || active)
    const write = (row: ProductRow) =>
      staff ? serialize(StaffProduct, toStaffProduct(row, context)) : serialize(Product, toProduct(row, context))
    return new Map(shown.map((row) => [String(row.id), toBytes(write(row))]))
  }
  const keys = ids.map(String)
  const records = await (staff ? read(keys) : deps.cached.products.getAll(keys, read))
  return keys.flatMap((key) => records.get(key) ?? [])
}

/** @throws AppError 404, for the public also when the product is inactive */
export async function getProduct(deps: Deps, id: number, staff: boolean): Promise<EncodedBody> {
  return (await cardAnswers(deps, id, staff)).card
}

/** The attributes of the card. @throws AppError 404 as getProduct */
export async function getProductAttributes(deps: Deps, id: number, staff: boolean): Promise<EncodedBody> {
  return (await cardAnswers(deps, id, staff)).attributes
}

/** The card of the product that has or had the slug. @throws AppError 404 */
export function getProductBySlug(deps: Deps, slug: string, staff: boolean): Promise<BySlug> {
  return answerBySlug(deps, 'product', slug, (id) => getProduct(deps, id, staff))
}

function cardAnswers(deps: Deps, id: number, staff: boolean) {
  const load = async () => {
    const context = await productContext(deps, staff)
    const row = await findProduct(deps.db, id)
    if (row === undefined || !(staff || row.active)) throw notFound('product')
    const card = toCard(row, context)
    return {
      card: jsonBody(staff ? serialize(StaffProductCard, toStaffCard(row, context)) : serialize(ProductCard, card)),
      attributes: jsonBody(serialize(ProductAttributes, card.attributes)),
    }
  }
  return staff ? load() : deps.cached.cards.get(String(id), load)
}

/** Updates the sales figures by which matches are sorted. */
export async function refreshSales(deps: Deps): Promise<void> {
  await write(deps, async (tx) => tx.recordChange('demand', await countSales(tx.db, SALES_DAYS)))
}

/** The query of a product list, normalised so that equivalent queries are equal. */
export type ProductList = ReturnType<typeof readProductQuery>

/** @throws AppError 400 */
export function readProductQuery({ search, sort, page, size, ...filter }: Partial<ProductListQuery>) {
  const tokens = search === undefined ? [] : readSearch(search)
  const order: filters.ProductOrder | 'match' =
    sort ?? (tokens.length > 0 ? 'match' : { field: 'id', descending: false })
  const after = filter.after ?? null
  if (after !== null && (order === 'match' || order.field !== 'id'))
    throw invalid({ path: 'after', code: 'CONTRADICTION', params: { field: 'sort' } })
  return {
    filter: {
      categoryId: filter.categoryId ?? null,
      brandIds: filter.brandId ?? null,
      categorySlug: filter.categorySlug ?? null,
      tagIds: filter.tagId ?? null,
      tagSlug: filter.tagSlug ?? null,
      minPrice: filter.minPrice ?? null,
      maxPrice: filter.maxPrice ?? null,
      active: filter.active ?? null,
      inStock: filter.inStock === true,
      attributes: filter.attributes ?? [],
      tokens,
      ids: filter.ids ?? null,
      without: filter.without ?? [],
    },
    order,
    after,
    page: page ?? 0,
    size: size ?? 0,
  }
}

/**
 * Restricts the list's filter to what the caller may see: the public sees neither inactive products nor disabled tags, and
 * can't filter by what products lack.
 */
export async function resolveFilter(
  deps: Deps,
  { categoryId, categorySlug, tagIds, tagSlug, without, ...filter }: ProductList['filter'],
  staff: boolean,
): Promise<filters.ProductFilter> {
  const { active, minPrice, maxPrice, ids } = filter
  const tagged = await Promise.all(
    [tagIds, tagSlug === null ? null : await idsOfSlug(deps, 'tag', tagSlug)].map((tags) =>
      tags === null ? null : listTaggedProducts(deps.db, tags, staff),
    ),
  )
  const category = await chosenCategory(deps, { categoryId, categorySlug })
  const findsNothing =
    category === undefined ||
    (minPrice !== null && maxPrice !== null && minPrice > maxPrice) ||
    (!staff && active === false)
  if (findsNothing) return { ...filters.EVERY_ACTIVE, ids: [] }
  const incomplete = staff && without.length > 0 ? await listIncompleteProducts(deps.db, without) : null
  return {
    ...filter,
    ids: [...tagged, incomplete].reduce(commonIds, ids),
    active: staff ? active : true,
    categoryIds: category ? subtreeOf(category).map(({ row }) => row.id) : null,
  }
}

/** The category of a list by id or slug; null: none is chosen, undefined: there is no such one. */
export async function chosenCategory(
  deps: Deps,
  { categoryId, categorySlug }: Pick<ProductList['filter'], 'categoryId' | 'categorySlug'>,
) {
  const named = categorySlug === null ? null : await idsOfSlug(deps, 'category', categorySlug)
  const chosen = commonIds(categoryId === null ? null : [categoryId], named)
  return chosen && (await categoryTree(deps)).byId.get(chosen[0] ?? 0)
}

/** None if no record has the slug. */
async function idsOfSlug(deps: Deps, kind: 'category' | 'tag', slug: string): Promise<number[]> {
  const owner = await slugOwner(deps, kind, slug).catch((error: unknown) => {
    if (error instanceof AppError && error.status === 404) return undefined
    throw error
  })
  return owner === undefined ? [] : [owner.id]
}

/** The columns of the export. Not the description: no spreadsheet renders its HTML. */
const COLUMNS: { [name: string]: (product: StaffProduct) => CsvCell } = {
  id: ({ id }) => id,
  externalId: ({ externalId }) => externalId,
  name: ({ name }) => name,
  slug: ({ slug }) => slug,
  active: ({ active }) => active,
  available: ({ available }) => available,
  price: ({ price }) => price,
  sitePrice: ({ sitePrice }) => sitePrice,
  finalPrice: ({ finalPrice }) => finalPrice,
  stock: ({ stock }) => stock,
  categoryId: ({ category }) => category?.id,
  category: ({ category }) => category?.name,
  brandId: ({ brand }) => brand?.id,
  brand: ({ brand }) => brand?.name,
  tags: ({ tags }) => tags.map(({ name }) => name).join(', '),
  images: ({ images }) => images.map(({ url }) => url).join(' '),
  metaTitle: ({ metaTitle }) => metaTitle,
  metaDescription: ({ metaDescription }) => metaDescription,
  createdAt: ({ createdAt }) => createdAt,
  updatedAt: ({ updatedAt }) => updatedAt,
}

/** Exports the products of staff's list as CSV. @throws AppError 400 */
export function exportProducts(deps: Deps, { delimiter, ...query }: ProductExportQuery): Promise<CsvFile> {
  const list = readProductQuery(query)
  const source = {
    name: 'products',
    header: Object.keys(COLUMNS),
    async listIds() {
      const filter = await resolveFilter(deps, list.filter, true)
      const all = { ...list, page: 0, size: Number.MAX_SAFE_INTEGER }
      return (await deps.productSearch.page(filter, all, UNLIMITED)).ids
    },
    async readLines(ids: number[]) {
      const context = await productContext(deps, true)
      const products = inOrder(ids, await findProducts(deps.db, ids)).map((row) => toStaffProduct(row, context))
      return products.map((product) => Object.values(COLUMNS).map((read) => read(product)))
    },
  }
  return exportCsv(deps, source, delimiter)
}
