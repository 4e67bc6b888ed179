import type { CategoryRow } from '../../../db/tables/categories.ts'
import type { CategoryTree, PlacedCategory } from '../../rules/catalogue/category-tree.ts'
import { resolveSeo } from '../../rules/catalogue/seo.ts'
import type { SettingValues } from '../../rules/settings/keys.ts'
import { Category, type CategoryNode, NavigationCategory } from '../../schemas/categories.ts'
import { toWire } from '../wire.ts'

/** What a category's JSON needs besides its row. */
export type CategoryContext = {
  tree: CategoryTree<CategoryRow>
  productCounts: Map<number, number>
  config: SettingValues
}

/** Deeper categories become siblings of their ancestor at this level. */
const MAX_TREE_DEPTH = 50

/** Contract section 4, "Category JSON". */
export function toCategory(
  category: PlacedCategory<CategoryRow>,
  context: CategoryContext,
  staff: boolean,
): Category {
  return toWire(Category, completed(category, context), staff)
}

export function toNavigation(
  category: PlacedCategory<CategoryRow>,
  context: CategoryContext,
): NavigationCategory {
  return toWire(NavigationCategory, completed(category, context))
}

/** The row with what its JSON shows beside it. */
function completed(
  { row, parent, visible }: PlacedCategory<CategoryRow>,
  { productCounts, config }: CategoryContext,
) {
  return {
    ...row,
    parent_id: parent?.row.id ?? null,
    visible,
    product_count: productCounts.get(row.id) ?? 0,
    seo: resolveSeo('category', row, config),
  }
}

/** The visible categories with their visible descendants. */
export function toNodes(top: PlacedCategory<CategoryRow>[], context: CategoryContext): CategoryNode[] {
  const nodes: CategoryNode[] = []
  const open = top.map((category) => ({ category, into: nodes, level: 1 }))
  // The list grows during the loop, which avoids recursion in a deep tree.
  for (const { category, into, level } of open) {
    if (!category.visible) continue
    const node = { ...toNavigation(category, context), children: [] }
    into.push(node)
    const below = level < MAX_TREE_DEPTH ? node.children : into
    for (const child of category.children) open.push({ category: child, into: below, level: level + 1 })
  }
  return nodes
}
