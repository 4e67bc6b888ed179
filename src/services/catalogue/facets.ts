import type { Deps } from '../../deps.ts'
import { countBySubtree } from '../../rules/catalogue/category-tree.ts'
import { amountOf } from '../../rules/money.ts'
import type { EncodedBody } from '../../runtime/cache/encoded-body.ts'
import type { FacetCounts } from '../../runtime/search/facets.ts'
import type { Facets } from '../../schemas/facets.ts'
import type { ProductQuery } from '../../schemas/products.ts'
import { answer, counted } from './answers.ts'
import { brandNames } from './brands.ts'
import { categoryTree } from './categories.ts'
import { readProductQuery, resolveFilter } from './product-query.ts'

type FacetDeps = Pick<Deps, 'db' | 'cached' | 'productSearch'>

const NO_FACETS: Facets = { brands: [], categories: [], price: null, attributes: [] }
const MAX_NAMES = 30
const MAX_VALUES = 100

/** Counts the products of a list by brand, category, price and attribute (contract section 4). @throws AppError 400 */
export async function getFacets(
  deps: FacetDeps,
  query: Omit<ProductQuery, 'page' | 'size'>,
): Promise<EncodedBody> {
  const { filter } = readProductQuery({ ...query, active: true })
  const version = filter.inStock ? await deps.productSearch.rankVersion() : ''
  return answer(deps, `facets ${JSON.stringify(filter)} ${version}`, false, async () => {
    const resolved = await resolveFilter(deps, filter, false)
    const facets =
      resolved === null ? NO_FACETS : await toFacets(deps, await deps.productSearch.facets(resolved))
    return counted(facets)
  })
}

async function toFacets(deps: FacetDeps, counts: FacetCounts): Promise<Facets> {
  const tree = await categoryTree(deps)
  const brands = await brandNames(deps)
  const named = (ids: Map<number, number>, nameOf: (id: number) => string | undefined) =>
    [...ids]
      .flatMap(([id, count]) => {
        const name = nameOf(id)
        return name === undefined || count === 0 ? [] : [{ id, name, count }]
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
    categories: named(countBySubtree(tree, counts.categories), visibleName),
    price: counts.price && {
      min: amountOf(BigInt(counts.price.min)),
      max: amountOf(BigInt(counts.price.max)),
    },
    attributes: attributes
      .slice(0, MAX_NAMES)
      .map(({ facet: { name, values } }) => ({ name, values: values.slice(0, MAX_VALUES) })),
  }
}
