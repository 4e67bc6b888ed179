import type { CategoryRow } from '../../../db/tables/categories.ts'
import type { CategoryTree, PlacedCategory } from '../../rules/catalogue/category-tree.ts'
import { resolveSeo } from '../../rules/catalogue/seo.ts'
import type { SettingValues } from '../../rules/settings/keys.ts'
import type { Category, CategoryNode, NavigationCategory } from '../../schemas/categories.ts'

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
  const { row } = category
  return {
    ...toNavigation(category, context),
    seoTextDoc: row.seo_text_doc,
    ...(staff && {
      categoryLockedByGbstore: row.category_locked_by_gbstore,
      autoHiddenByVisibilitySync: row.auto_hidden_by_visibility_sync,
      hiddenReason: row.hidden_reason,
      version: row.version,
      createdAt: row.created_at.toISOString(),
      updatedAt: row.updated_at.toISOString(),
    }),
  }
}

export function toNavigation(
  { row, parent, visible }: PlacedCategory<CategoryRow>,
  { productCounts, config }: CategoryContext,
): NavigationCategory {
  return {
    id: row.id,
    externalId: row.external_id,
    name: row.name,
    slug: row.slug,
    parentId: parent?.row.id ?? null,
    enabled: row.enabled,
    visible,
    showInHomepage: row.show_in_homepage,
    displayOrder: row.display_order,
    icon: row.icon,
    productCount: productCounts.get(row.id) ?? 0,
    metaTitle: row.meta_title,
    metaDescription: row.meta_description,
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
