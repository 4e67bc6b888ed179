import * as rows from '../../../db/queries/catalogue/attributes.ts'
import type { Deps } from '../../deps.ts'
import { found } from '../../errors.ts'
import type { Actor } from '../../rules/accounts/roles.ts'
import * as rules from '../../rules/catalogue/attributes.ts'
import { childrenOf, countBySubtree } from '../../rules/catalogue/category-tree.ts'
import { EVERY_ACTIVE, MAX_ATTRIBUTE_VALUE_LENGTH } from '../../rules/catalogue/product-filter.ts'
import { amountOf } from '../../rules/money.ts'
import { oneLine } from '../../rules/text.ts'
import { hasChanges, refuseStale, type Target } from '../../rules/versions.ts'
import type { FacetCounts } from '../../runtime/search/product-index.ts'
import { type CorrectionLimit, UNLIMITED } from '../../runtime/search/product-search.ts'
import { write } from '../../runtime/write.ts'
import { type Attribute, type AttributeInput, Facets } from '../../schemas/product-search.ts'
import type { FacetQuery } from '../../schemas/products.ts'
import { answer } from './answers.ts'
import { brandLinks } from './brands.ts'
import { categoryTree, type Tree } from './categories.ts'
import { chosenCategory, type ProductList, readProductQuery, resolveFilter } from './products.ts'

/** Staff's settings of attributes, by the keys of their names. */
async function attributeSettings({ db }: Deps) {
  const settings = await rows.listAttributeSettings(db)
  return new Map(settings.map((row) => [rules.attributeKey(row.name), row]))
}

/** Lists the attributes that active products have or staff have set, in the order of facets. */
export async function listAttributes(deps: Deps): Promise<Attribute[]> {
  const settings = await attributeSettings(deps)
  const { attributes } = await deps.productSearch.facets(EVERY_ACTIVE, () => true, UNLIMITED)
  const used = attributes.map(({ name, products, values }) => ({ name, products, values: values.size }))
  const keys = new Set(used.map(({ name }) => rules.attributeKey(name)))
  const unused = [...settings].filter(([key, row]) => !keys.has(key) && !isDefault(row))
  return [...used, ...unused.map(([, { name }]) => ({ name, products: 0, values: 0 }))]
    .map((use) => toAttribute(use, settings.get(rules.attributeKey(use.name))))
    .sort(rules.compareAttributes)
}

function isDefault({ filterable, position, unit }: rules.AttributeSettings): boolean {
  return filterable === null && position === null && unit === null
}

/** @throws AppError 404 for a name that isn't listed; 412 STALE */
export async function setAttribute(
  deps: Deps,
  actor: Actor,
  { id: name, ifMatch }: Target<string>,
  input: AttributeInput,
) {
  const key = rules.attributeKey(name)
  const listed = (await listAttributes(deps)).find((attribute) => rules.attributeKey(attribute.name) === key)
  const known = found(listed, 'attribute')
  return write(deps, async (tx) => {
    const { version, ...before } = await rows.lockAttributeSettings(tx.db, name)
    const current = toAttribute(known, { ...before, version })
    await refuseStale(ifMatch, version, () => current)
    const { filterable = before.filterable, position = before.position, unit = before.unit } = input
    const after = { filterable, position, unit: oneLine(unit ?? '') || null }
    if (!hasChanges(before, after)) return current
    const newVersion = await rows.updateAttributeSettings(tx.db, name, after)
    tx.audit({ actor, entity: 'ATTRIBUTE', entityId: name, before, after })
    tx.recordChange('attribute', [name])
    return toAttribute(known, { ...after, version: newVersion })
  })
}

type AttributeUse = Pick<Attribute, 'name' | 'products' | 'values'>

function toAttribute(use: AttributeUse, settings?: Omit<rows.AttributeSettingsRow, 'name'>): Attribute {
  return {
    ...use,
    filterable: rules.isFilterable(settings, use.values),
    position: settings?.position ?? null,
    unit: settings?.unit ?? null,
    version: settings?.version ?? 0,
  }
}

const MAX_ATTRIBUTES = 30
const MAX_VALUES = 100

/** Counts the products of a list by brand, category, price and attribute (docs/search.md). @throws AppError 400; 429 */
export async function getFacets(deps: Deps, query: FacetQuery, limit: CorrectionLimit) {
  const { filter } = readProductQuery(query)
  const version = filter.inStock ? await deps.productSearch.rankVersion() : ''
  return answer(deps, `facets ${JSON.stringify(filter)} ${version}`, Facets, async () => {
    const resolved = await resolveFilter(deps, filter, false)
    const settings = await attributeSettings(deps)
    const isFacet = (key: string, values: number) => rules.isFilterable(settings.get(key), values)
    const counts = await deps.productSearch.facets(resolved, isFacet, limit)
    const brands = await brandLinks(deps)
    return {
      brands: toFacet(counts.brands, (id) => brands.get(id)),
      categories: categoryFacet(
        await categoryTree(deps),
        counts.categories,
        await chosenCategory(deps, filter),
        filter,
      ),
      price: counts.price && {
        min: amountOf(BigInt(counts.price.min)),
        max: amountOf(BigInt(counts.price.max)),
      },
      attributes: attributeFacets(counts.attributes, settings),
    }
  })
}

type Category = Tree['roots'][number]

/** Offers visible categories: near the chosen one its siblings and children, in a search all, otherwise the top level. */
function categoryFacet(
  tree: Tree,
  direct: Map<number, number>,
  chosen: Category | null | undefined,
  { tokens }: ProductList['filter'],
) {
  const unchosen = tokens.length > 0 ? tree.byId.values() : tree.roots
  const offered = new Set(chosen ? [...childrenOf(tree, chosen.parent), ...chosen.children] : unchosen)
  return toFacet(countBySubtree(tree, direct), (id) => {
    const category = tree.byId.get(id)
    if (!category?.visible || !offered.has(category)) return undefined
    const { name, slug } = category.row
    return { name, slug, parentId: category.parent?.row.id ?? null, relation: relationTo(chosen, category) }
  })
}

function relationTo(chosen: Category | null | undefined, category: Category): 'self' | 'sibling' | 'child' | 'top' {
  if (category === chosen) return 'self'
  if (chosen && category.parent === chosen.parent) return 'sibling'
  return category.parent === null ? 'top' : 'child'
}

function attributeFacets(counted: FacetCounts['attributes'], settings: ReadonlyMap<string, rules.AttributeSettings>) {
  return counted
    .map((facet) => ({ position: null, unit: null, ...settings.get(rules.attributeKey(facet.name)), ...facet }))
    .sort(rules.compareAttributes)
    .slice(0, MAX_ATTRIBUTES)
    .map(({ name, unit, values, range }) => ({
      name,
      unit,
      min: range?.min ?? null,
      max: range?.max ?? null,
      values: [...values]
        .filter(([value]) => value.length <= MAX_ATTRIBUTE_VALUE_LENGTH)
        .map(([value, count]) => ({ value, count }))
        .sort((a, b) => b.count - a.count || (a.value < b.value ? -1 : 1))
        .slice(0, MAX_VALUES),
    }))
    .filter(({ values }) => values.length > 0)
}

/** Sorted by count. @param read what is shown of an id; undefined for entries to hide */
function toFacet<Shown extends object>(counts: Map<number, number>, read: (id: number) => Shown | undefined) {
  return [...counts]
    .flatMap(([id, count]) => {
      const shown = read(id)
      return shown === undefined || count === 0 ? [] : [{ ...shown, id, count }]
    })
    .sort((a, b) => b.count - a.count || a.id - b.id)
}
