import type { Deps } from '../../deps.ts'
import { amountOf } from '../../rules/money.ts'
import type { JsonBytes } from '../../runtime/cache/json-bytes.ts'
import type { FacetCounts } from '../../runtime/search/facets.ts'
import type { Facets } from '../../schemas/facets.ts'
import type { ProductQuery } from '../../schemas/products.ts'
import { answer, counted, countedByStock } from './answers.ts'
import { brandNames } from './brands.ts'
import { categoryTree } from './categories.ts'
import { currentProducts } from './product-index.ts'
import { publicSearch } from './products.ts'

type FacetDeps = Pick<Deps, 'db' | 'cached' | 'productIndex'>

/** What an answer names: the names that most products have, and of each its most frequent values. */
const MAX_NAMES = 30
const MAX_VALUES = 100

/** How the products of a list spread over brands, categories, prices and attributes (contract section 4). */
export function getFacets(deps: FacetDeps, query: Omit<ProductQuery, 'page' | 'size'>): Promise<JsonBytes> {
  const search = publicSearch(query)
  return answer(deps, `facets ${JSON.stringify(search.filter)}`, false, async () => {
    const facets = await count(deps, search)
    return search.filter.inStock ? countedByStock(facets) : counted(facets)
  })
}

async function count(deps: FacetDeps, search: ReturnType<typeof publicSearch>): Promise<Facets> {
  const products = await currentProducts(deps)
  const filter = await search.resolve(deps, products)
  if (filter === null) return { brands: [], categories: [], price: null, attributes: [] }
  return toFacets(deps, products.countFacets(filter))
}

async function toFacets(deps: FacetDeps, counts: FacetCounts): Promise<Facets> {
  const tree = await categoryTree(deps)
  const brands = await brandNames(deps)
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
    brands: named(counts.brands, (id) => brands.get(id)),
    categories: named(counts.categories, visibleName),
    price: counts.price && {
      min: amountOf(BigInt(counts.price.min)),
      max: amountOf(BigInt(counts.price.max)),
    },
    attributes: attributes
      .slice(0, MAX_NAMES)
      .map(({ facet: { name, values } }) => ({ name, values: values.slice(0, MAX_VALUES) })),
  }
}
