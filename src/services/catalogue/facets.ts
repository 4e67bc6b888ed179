import type { CategoryRow } from '../../../db/tables/categories.ts'
import type { Deps } from '../../deps.ts'
import { attributeKey } from '../../rules/catalogue/attributes.ts'
import { type CategoryTree, countBySubtree, neighboursOf } from '../../rules/catalogue/category-tree.ts'
import { type AttributeSettings, compareAttributes, isFilterable } from '../../rules/catalogue/facets.ts'
import { amountOf } from '../../rules/money.ts'
import type { EncodedBody } from '../../runtime/cache/encoded-body.ts'
import type { AttributeFacet } from '../../runtime/search/facets.ts'
import type { Facets } from '../../schemas/facets.ts'
import type { ProductQuery } from '../../schemas/products.ts'
import { answer, counted } from './answers.ts'
import { attributeSettings } from './attributes.ts'
import { brandLinks } from './brands.ts'
import { categoryTree } from './categories.ts'
import { type ProductList, readProductQuery, resolveFilter } from './product-query.ts'

const NO_FACETS: Facets = { brands: [], categories: [], price: null, attributes: [] }
const MAX_ATTRIBUTES = 30
const MAX_VALUES = 100

/** Counts the products of a list by brand, category, price and attribute (contract section 4). @throws AppError 400; 429 */
export async function getFacets(
  deps: Deps,
  query: Omit<ProductQuery, 'page' | 'size'>,
): Promise<EncodedBody> {
  const { filter } = readProductQuery({ ...query, active: true })
  const version = filter.inStock ? await deps.productSearch.rankVersion() : ''
  return answer(deps, `facets ${JSON.stringify(filter)} ${version}`, false, async () => {
    const resolved = await resolveFilter(deps, filter, false)
    if (resolved === null) return counted(NO_FACETS)
    const settings = await attributeSettings(deps)
    const counts = await deps.productSearch.facets(resolved, ({ name, values }) =>
      isFilterable(settings.get(attributeKey(name)), values),
    )
    const brands = await brandLinks(deps)
    return counted({
      brands: toFacet(counts.brands, (id) => brands.get(id)?.name),
      categories: categoryFacet(await categoryTree(deps), counts.categories, filter),
      price: counts.price && {
        min: amountOf(BigInt(counts.price.min)),
        max: amountOf(BigInt(counts.price.max)),
      },
      attributes: attributeFacets(counts.attributes, settings),
    })
  })
}

/** Visible categories: the chosen one with its siblings and children, else those of a search, else the top level. */
function categoryFacet(
  tree: CategoryTree<CategoryRow>,
  direct: Map<number, number>,
  { categoryId, tokens }: ProductList['filter'],
): Facets['categories'] {
  const chosen = categoryId === null ? undefined : tree.byId.get(categoryId)
  const unchosen = tokens.length > 0 ? tree.byId.values() : tree.roots
  const offered = new Set(chosen ? neighboursOf(tree, chosen) : unchosen)
  return toFacet(countBySubtree(tree, direct), (id) => {
    const category = tree.byId.get(id)
    return category?.visible && offered.has(category) ? category.row.name : undefined
  })
}

function attributeFacets(
  counted: AttributeFacet[],
  settings: ReadonlyMap<string, AttributeSettings>,
): Facets['attributes'] {
  return counted
    .map((facet) => ({ position: null, unit: null, ...settings.get(attributeKey(facet.name)), ...facet }))
    .sort(compareAttributes)
    .slice(0, MAX_ATTRIBUTES)
    .map(({ name, unit, values }) => ({
      ...{ name, unit },
      values: [...values]
        .map(([value, count]) => ({ value, count }))
        .sort((a, b) => b.count - a.count || (a.value < b.value ? -1 : 1))
        .slice(0, MAX_VALUES),
    }))
}

/** The largest first. @param nameOf undefined for what isn't shown */
function toFacet(
  counts: Map<number, number>,
  nameOf: (id: number) => string | undefined,
): { id: number; name: string; count: number }[] {
  return [...counts]
    .flatMap(([id, count]) => {
      const name = nameOf(id)
      return name === undefined || count === 0 ? [] : [{ id, name, count }]
    })
    .sort((a, b) => b.count - a.count || a.id - b.id)
}
