import type { Db } from '../../../db/database.ts'
import { countActiveProductsByCategory, listCategories } from '../../../db/queries/catalogue/categories.ts'
import type { CategoryRow } from '../../../db/tables/catalogue.ts'
import type { Deps } from '../../deps.ts'
import { found, notFound } from '../../errors.ts'
import * as rules from '../../rules/catalogue/category-tree.ts'
import { resolveSeo } from '../../rules/catalogue/seo.ts'
import { canonicalPath } from '../../rules/published/pages.ts'
import type { SettingValues } from '../../rules/settings/keys.ts'
import type { EncodedBody } from '../../runtime/cache/encoded-body.ts'
import {
  Categories,
  type Category,
  type CategoryNode,
  CategoryPage,
  CategoryTree,
  NavigationCategories,
  type NavigationCategory,
  StaffCategories,
  type StaffCategory,
  StaffCategoryPage,
} from '../../schemas/categories.ts'
import { freshSettings, settingValues } from '../settings/settings.ts'
import { answer, answerBySlug, type BySlug, staffAnswer } from './answers.ts'

export type Tree = rules.CategoryTree<CategoryRow>
export type Placed = rules.PlacedCategory<CategoryRow>

/** What a category's JSON needs besides its row. */
type CategoryContext = Awaited<ReturnType<typeof completeContext>>

/** Deeper categories are not in the tree. */
const MAX_TREE_DEPTH = 50

/** All categories as a tree, from the cache. */
export function categoryTree({ db, cached }: Deps): Promise<Tree> {
  return cached.tree.get('tree', () => readTree(db))
}

/** The tree as it is now; in a transaction with its own changes. */
export async function readTree(db: Db): Promise<Tree> {
  return rules.arrangeCategories(await listCategories(db))
}

/** All categories for staff, visible ones for the public, in tree order as JSON. */
export async function listAllCategories(deps: Deps, staff: boolean): Promise<EncodedBody> {
  if (staff) {
    const context = await loadContext(deps)
    return staffAnswer(
      StaffCategories,
      rules.inOrder(context.tree).map((category) => toStaffCategory(category, context)),
    )
  }
  return answer(deps, 'categories', Categories, async () => {
    const context = await loadContext(deps)
    const visible = rules.inOrder(context.tree).filter((category) => category.visible)
    return visible.map((category) => toCategory(category, context))
  })
}

/** The navigation: the tree of visible categories, for staff too (docs/catalogue.md). */
export function getCategoryTree(deps: Deps): Promise<EncodedBody> {
  return answer(deps, 'category tree', CategoryTree, async () => {
    const context = await loadContext(deps)
    return toNodes(topOf(context), context)
  })
}

/** The visible categories of the homepage block, in tree order as JSON. */
export function getHomepageCategories(deps: Deps): Promise<EncodedBody> {
  return answer(deps, 'homepage categories', NavigationCategories, async () => {
    const context = await loadContext(deps)
    const listed = rules.inOrder(context.tree).filter(({ row, visible }) => visible && row.show_in_homepage)
    return listed.map((category) => toNavigationCategory(category, context))
  })
}

/** @throws AppError 404 */
export async function getCategory(deps: Deps, id: number): Promise<StaffCategory> {
  const context = await loadContext(deps)
  return toStaffCategory(found(context.tree.byId.get(id), 'category'), context)
}

/** A category by its current or a former slug. @throws AppError 404, to the public also for a hidden one */
export function getCategoryBySlug(deps: Deps, slug: string, staff: boolean): Promise<BySlug> {
  return answerBySlug(deps, 'category', slug, async (id) => {
    if (staff) {
      const { category, context, breadcrumbs } = await placeCategory(deps, id)
      return staffAnswer(StaffCategoryPage, { ...toStaffCategory(category, context), breadcrumbs })
    }
    return answer(deps, `category ${id}`, CategoryPage, async () => {
      const { category, context, breadcrumbs } = await placeCategory(deps, id)
      if (!category.visible) throw notFound('category')
      return { ...toCategory(category, context), breadcrumbs }
    })
  })
}

async function placeCategory(deps: Deps, id: number) {
  const context = await loadContext(deps)
  const category = found(context.tree.byId.get(id), 'category')
  return { category, context, breadcrumbs: [...rules.ancestorsOf(category), category].map(toReference) }
}

/** What links to a category. */
export function toReference({ row: { id, name, slug } }: Placed) {
  return { id, name, slug }
}

/** Reads categories as staff see them, bypassing the cache: a transaction sees its own changes. @throws AppError 404 */
export async function readCategories(db: Db, ids: number[]): Promise<StaffCategory[]> {
  const context = await completeContext(db, await readTree(db), await freshSettings(db))
  return ids.map((id) => toStaffCategory(found(context.tree.byId.get(id), 'category'), context))
}

async function loadContext(deps: Deps): Promise<CategoryContext> {
  return completeContext(deps.db, await categoryTree(deps), await settingValues(deps))
}

async function completeContext(db: Db, tree: Tree, config: SettingValues) {
  return { tree, config, productCounts: rules.countBySubtree(tree, await countActiveProductsByCategory(db)) }
}

/** The top level, chosen by the `category_tree_*` settings. */
function topOf({ tree, config }: CategoryContext): Placed[] {
  const chosen = tree.byId.get(Number(config.category_tree_root_category_id))
  if (chosen !== undefined) return chosen.children
  const orphansToo = config.category_tree_orphan_as_root === 'true'
  return tree.roots.filter(({ orphan }) => orphansToo || !orphan)
}

function toNavigationCategory({ row, parent, visible }: Placed, context: CategoryContext): NavigationCategory {
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
    productCount: context.productCounts.get(row.id) ?? 0,
    icon: row.icon,
    metaTitle: row.meta_title,
    metaDescription: row.meta_description,
    seo: resolveSeo('category', row, context.config),
  }
}

function toCategory(category: Placed, context: CategoryContext): Category {
  return {
    ...toNavigationCategory(category, context),
    seoTextDoc: category.row.seo_text_doc,
    canonicalPath: canonicalPath('categories', category.row, context.config),
  }
}

function toStaffCategory(category: Placed, context: CategoryContext): StaffCategory {
  const { row } = category
  return {
    ...toCategory(category, context),
    categoryLockedByGbstore: row.category_locked_by_gbstore,
    autoHiddenByVisibilitySync: row.auto_hidden_by_visibility_sync,
    hiddenReason: row.hidden_reason,
    version: row.version,
    createdAt: row.created_at.toISOString(),
    updatedAt: row.updated_at.toISOString(),
  }
}

/** The visible categories with their visible descendants. */
function toNodes(places: Placed[], context: CategoryContext, depth = 1): CategoryNode[] {
  const visible = places.filter((category) => category.visible)
  return visible.map((category) => ({
    ...toNavigationCategory(category, context),
    children: depth < MAX_TREE_DEPTH ? toNodes(category.children, context, depth + 1) : [],
  }))
}
