import type { Db } from '../../../db/database.ts'
import { countActiveProductsByCategory } from '../../../db/queries/catalogue/categories.ts'
import { listRecords } from '../../../db/queries/records.ts'
import type { CategoryRow } from '../../../db/tables/catalogue.ts'
import type { Deps } from '../../deps.ts'
import { notFound } from '../../errors.ts'
import * as rules from '../../rules/catalogue/category-tree.ts'
import { resolveSeo } from '../../rules/catalogue/seo.ts'
import type { SettingValues } from '../../rules/settings/keys.ts'
import type { EncodedBody } from '../../runtime/cache/encoded-body.ts'
import {
  Categories,
  Category,
  type CategoryNode,
  CategoryTree,
  NavigationCategories,
  NavigationCategory,
} from '../../schemas/categories.ts'
import { freshSettings, settingValues } from '../settings/settings.ts'
import { toWire } from '../wire.ts'
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
  return rules.arrangeCategories(await listRecords(db, 'categories'))
}

/** All categories for staff, visible ones for the public, in tree order as JSON. */
export function listAllCategories(deps: Deps, staff: boolean): Promise<EncodedBody> {
  const load = async () => {
    const context = await loadContext(deps)
    const listed = rules.inOrder(context.tree).filter(({ visible }) => staff || visible)
    return listed.map((category) => toWire(Category, completed(category, context), staff))
  }
  return staff ? load().then((all) => staffAnswer(Categories, all)) : answer(deps, 'categories', Categories, load)
}

/** The navigation: the tree of visible categories, for staff too (contract section 4). */
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
    return listed.map((category) => toWire(NavigationCategory, completed(category, context)))
  })
}

/** A category with the staff fields. @throws AppError 404 */
export async function getCategory(deps: Deps, id: number): Promise<Category> {
  return shownCategory(await loadContext(deps), id, true)
}

/** A category by its current or a former slug. @throws AppError 404 */
export function getCategoryBySlug(deps: Deps, slug: string, staff: boolean): Promise<BySlug> {
  const load = async (id: number) => shownCategory(await loadContext(deps), id, staff)
  return answerBySlug(deps, 'category', slug, (id) =>
    staff
      ? load(id).then((category) => staffAnswer(Category, category))
      : answer(deps, `category ${id}`, Category, () => load(id)),
  )
}

/** Reads categories as staff see them, bypassing the cache: a transaction sees its own changes. @throws AppError 404 */
export async function readCategories(db: Db, ids: number[]): Promise<Category[]> {
  const context = await completeContext(db, await readTree(db), await freshSettings(db))
  return ids.map((id) => shownCategory(context, id, true))
}

/** @throws AppError 404 */
function shownCategory(context: CategoryContext, id: number, staff: boolean): Category {
  const category = context.tree.byId.get(id)
  if (category === undefined || !(staff || category.visible)) throw notFound('category')
  return toWire(Category, completed(category, context), staff)
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

/** The row with the computed fields of its JSON (contract section 4, "Category JSON"). */
function completed({ row, parent, visible }: Placed, { productCounts, config }: CategoryContext) {
  return {
    ...row,
    parent_id: parent?.row.id ?? null,
    visible,
    product_count: productCounts.get(row.id) ?? 0,
    seo: resolveSeo('category', row, config),
  }
}

/** The visible categories with their visible descendants. */
function toNodes(places: Placed[], context: CategoryContext, depth = 1): CategoryNode[] {
  const visible = places.filter((category) => category.visible)
  return visible.map((category) => ({
    ...toWire(NavigationCategory, completed(category, context)),
    children: depth < MAX_TREE_DEPTH ? toNodes(category.children, context, depth + 1) : [],
  }))
}
