import { listBrandNames } from '../../../db/queries/catalogue/brands.ts'
import { type FacetRow, findFacetRows, listFacetRows } from '../../../db/queries/catalogue/facets.ts'
import { listMatchingIds } from '../../../db/queries/catalogue/products.ts'
import type { Deps } from '../../deps.ts'
import { amountOf, minorOf } from '../../rules/money.ts'
import type { FacetCounts, FacetProduct } from '../../runtime/facet-index.ts'
import type { Facets } from '../../schemas/facets.ts'
import type { ProductQuery } from '../../schemas/products.ts'
import { answer, counted, countedByStock, type JsonBytes } from './answers.ts'
import { categoryTree } from './categories.ts'
import { publicSearch } from './products.ts'

type FacetDeps = Pick<Deps, 'db' | 'cached' | 'facets'>

/** Products read at a time when all of them are. */
const BATCH = 2000
/** With more that changed it is quicker to read all. */
const MOST_REREAD = 5000
/** What an answer names: the names that most products have, and of each its most frequent values. */
const MOST_NAMES = 30
const MOST_VALUES = 100

/** How the products of a list spread over brands, categories, prices and attributes (contract section 4). */
export function getFacets(deps: FacetDeps, query: Omit<ProductQuery, 'page' | 'size'>): Promise<JsonBytes> {
  const search = publicSearch(query)
  return answer(deps, `facets ${JSON.stringify(search.filter)}`, false, async () => {
    const facets = await count(deps, search)
    return search.filter.inStock ? countedByStock(facets) : counted(facets)
  })
}

async function count(deps: FacetDeps, search: ReturnType<typeof publicSearch>): Promise<Facets> {
  await refresh(deps)
  const found = await search.resolve(deps)
  if (found === null) return { brands: [], categories: [], price: null, attributes: [] }
  const { filter } = search
  // What words and tags find the database knows; everything else is counted here.
  const narrowed = found.words.length > 0 || found.tagId !== null
  const counts = deps.facets.index.count({
    categoryIds: found.categoryIds && new Set(found.categoryIds),
    brandIds: found.brandIds && new Set(found.brandIds),
    minPrice: minorUnits(found.minPrice),
    maxPrice: minorUnits(found.maxPrice),
    inStock: found.inStock,
    attributes: new Map(filter.attributes.map(({ name, values }) => [name, new Set(values)])),
    ids: narrowed
      ? new Set(await listMatchingIds(deps.db, { words: found.words, tagId: found.tagId }))
      : null,
  })
  return toFacets(deps, counts)
}

/** Brings the index up to date with what changed since it was looked at last; one at a time. */
async function refresh(deps: FacetDeps): Promise<void> {
  const { facets } = deps
  facets.refreshing = (facets.refreshing ?? Promise.resolve()).catch(() => {}).then(() => reread(deps))
  return facets.refreshing
}

async function reread({ db, facets: { index } }: FacetDeps): Promise<void> {
  const stale = index.takeStale()
  try {
    if (stale !== 'all' && stale.size <= MOST_REREAD) {
      if (stale.size === 0) return
      const rows = await findFacetRows(db, [...stale])
      index.remove(stale)
      return index.put(rows.map(toProduct))
    }
    index.clear()
    for (let after = 0; ; ) {
      const rows = await listFacetRows(db, after, BATCH)
      index.put(rows.map(toProduct))
      after = rows.at(-1)?.id ?? 0
      if (rows.length < BATCH) return
    }
  } catch (error) {
    index.forget()
    throw error
  }
}

function toProduct(row: FacetRow): FacetProduct {
  return {
    id: row.id,
    categoryId: row.category_id,
    brandId: row.brand_id,
    price: row.final_price === null ? null : Number(minorOf(row.final_price)),
    available: row.available,
    attributes: row.attributes.flatMap((name, index, all) =>
      index % 2 === 0 ? [[name, all[index + 1] ?? '']] : [],
    ),
  }
}

function minorUnits(price: number | null): number | null {
  return price === null ? null : Number(minorOf(price.toFixed(2)))
}

async function toFacets(deps: FacetDeps, counts: FacetCounts): Promise<Facets> {
  const tree = await categoryTree(deps)
  const brandNames = new Map(
    (await listBrandNames(deps.db, [...counts.brands.keys()])).map(({ id, name }) => [id, name]),
  )
  const named = (ids: Map<number, number>, nameOf: (id: number) => string | undefined) =>
    [...ids]
      .flatMap(([id, count]) => {
        const name = nameOf(id)
        return name === undefined ? [] : [{ id, name, count }]
      })
      .sort((a, b) => b.count - a.count || a.id - b.id)
  const visibleName = (id: number) => {
    const category = tree.byId.get(id)
    return category?.visible ? category.row.name : undefined
  }
  const attributes = [...counts.attributes]
    .map(([name, values]) => ({
      name,
      values: [...values]
        .map(([value, count]) => ({ value, count }))
        .sort((a, b) => b.count - a.count || (a.value < b.value ? -1 : 1)),
    }))
    .map((facet) => ({ facet, products: facet.values.reduce((sum, { count }) => sum + count, 0) }))
    .sort((a, b) => b.products - a.products || (a.facet.name < b.facet.name ? -1 : 1))
  return {
    brands: named(counts.brands, (id) => brandNames.get(id)),
    categories: named(counts.categories, visibleName),
    price: counts.price && {
      min: amountOf(BigInt(counts.price.min)),
      max: amountOf(BigInt(counts.price.max)),
    },
    attributes: attributes
      .slice(0, MOST_NAMES)
      .map(({ facet: { name, values } }) => ({ name, values: values.slice(0, MOST_VALUES) })),
  }
}
