import type { ProductFilter } from '../../../db/queries/catalogue/product-filter.ts'
import {
  findIndexedProducts,
  type IndexedProductRow,
  listIndexedProducts,
} from '../../../db/queries/catalogue/product-index.ts'
import type { Deps } from '../../deps.ts'
import { minorAround, minorOf } from '../../rules/money.ts'
import {
  createProductColumns,
  type IdPage,
  type IndexedProduct,
  type IndexFilter,
} from '../../runtime/product-columns.ts'

type IndexDeps = Pick<Deps, 'db' | 'productIndex'>

/** Products read at a time when all of them are. */
const BATCH = 500

/**
 * How many products a filter leaves and the ids of a page of them, without asking the database; null: it has to be
 * asked, because the filter has words or a tag, or the index is not ready: it is filled beside then.
 */
export async function findInIndex(
  deps: IndexDeps,
  filter: ProductFilter,
  page: IdPage,
): Promise<{ total: number; ids: number[] } | null> {
  if (filter.words.length > 0 || filter.tagId !== null) return null
  const { index, refreshing } = deps.productIndex
  if (!index.ready) {
    if (refreshing === undefined) refreshIndex(deps).catch(() => {})
    return null
  }
  await refreshIndex(deps)
  return index.ready ? index.columns.find(toIndexFilter(filter), page) : null
}

/** Brings the index up to date with what changed since it was looked at last; one at a time. */
export async function refreshIndex(deps: IndexDeps): Promise<void> {
  const { productIndex } = deps
  const refreshing = (productIndex.refreshing ?? Promise.resolve())
    .catch(() => {})
    .then(() => reread(deps))
    .finally(() => {
      if (productIndex.refreshing === refreshing) productIndex.refreshing = undefined
    })
  productIndex.refreshing = refreshing
  return refreshing
}

async function reread({ db, productIndex: { index } }: IndexDeps): Promise<void> {
  const stale = index.takeStale()
  if (stale !== 'all' && stale.size === 0) return
  try {
    if (stale !== 'all') {
      const rows = await findIndexedProducts(db, [...stale])
      for (const { id } of rows) stale.delete(id)
      index.columns.remove(stale)
      return index.columns.put(rows.map(toIndexed))
    }
    const columns = createProductColumns()
    for (let after = 0; ; ) {
      const rows = await listIndexedProducts(db, after, BATCH)
      columns.put(rows.map(toIndexed))
      after = rows.at(-1)?.id ?? 0
      if (rows.length < BATCH) break
    }
    index.replace(columns)
  } catch (error) {
    index.forget()
    throw error
  }
}

function toIndexed(row: IndexedProductRow): IndexedProduct {
  return {
    id: row.id,
    active: row.active,
    categoryId: row.category_id,
    brandId: row.brand_id,
    price: row.final_price === null ? null : Number(minorOf(row.final_price)),
    available: row.available,
    attributes: row.attributes.flatMap((name, index, all) =>
      index % 2 === 0 ? [[name, all[index + 1] ?? '']] : [],
    ),
  }
}

/** All but the words and the tag. */
export function toIndexFilter(filter: ProductFilter): IndexFilter {
  const { active, categoryIds, brandIds, minPrice, maxPrice, inStock, attributes } = filter
  return {
    active,
    categoryIds: categoryIds && new Set(categoryIds),
    brandIds: brandIds && new Set(brandIds),
    minPrice: minPrice === null ? null : minorAround(minPrice).ceil,
    maxPrice: maxPrice === null ? null : minorAround(maxPrice).floor,
    inStock,
    attributes: new Map(attributes.map(({ name, values }) => [name, new Set(values)])),
  }
}
