import { listIncompleteProducts } from '../../../db/queries/catalogue/products.ts'
import { isTagEnabled } from '../../../db/queries/catalogue/tags.ts'
import type { Deps } from '../../deps.ts'
import { subtreeOf } from '../../rules/catalogue/category-tree.ts'
import { PRODUCT_GAPS } from '../../rules/catalogue/product-fields.ts'
import {
  PRODUCT_SORT,
  type ProductOrder,
  readAttributeFilters,
} from '../../rules/catalogue/product-filter.ts'
import { readSearch } from '../../rules/catalogue/search.ts'
import { commonIds, readIdList, readSort, readWordList } from '../../rules/lists.ts'
import type { SearchFilter } from '../../runtime/search/product-search.ts'
import type { ProductQuery } from '../../schemas/products.ts'
import { categoryTree } from './categories.ts'

/** A page of favourites. */
const MAX_LISTED_IDS = 100

/** The query of a product list, normalised: equal for queries that mean the same. */
export type ProductList = ReturnType<typeof readProductQuery>

/** @throws AppError 400 */
export function readProductQuery({ search, sort, page, size, ...filter }: Partial<ProductQuery>) {
  const tokens = search === undefined ? [] : readSearch(search)
  const order: ProductOrder | 'match' =
    tokens.length > 0 && !sort ? 'match' : readSort(sort, PRODUCT_SORT, 'id')
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
      ids: filter.ids ? readIdList(filter.ids, 'ids', MAX_LISTED_IDS).sort((a, b) => a - b) : null,
      without: filter.without ? readWordList(filter.without, PRODUCT_GAPS, 'without') : [],
    },
    order,
    page: page ?? 0,
    size: size ?? 0,
  }
}

/**
 * The list's filter with what the caller may see: the public no inactive products, no disabled tags, and nothing of what
 * products lack.
 * @returns null when nothing can match
 */
export async function resolveFilter(
  deps: Deps,
  { categoryId, without, ...filter }: ProductList['filter'],
  staff: boolean,
): Promise<SearchFilter | null> {
  const { tagId, active, minPrice, maxPrice, ids } = filter
  if (!staff && active === false) return null
  if (minPrice !== null && maxPrice !== null && minPrice > maxPrice) return null
  if (!staff && tagId !== null && !(await isTagEnabled(deps.db, tagId))) return null
  const category = categoryId === null ? null : (await categoryTree(deps)).byId.get(categoryId)
  if (category === undefined) return null
  const incomplete = staff && without.length > 0 ? await listIncompleteProducts(deps.db, without) : null
  return {
    ...filter,
    ids: commonIds(ids, incomplete),
    active: staff ? active : true,
    categoryIds: category && subtreeOf(category).map(({ row }) => row.id),
  }
}
