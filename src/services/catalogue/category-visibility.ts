import { setImmediate } from 'node:timers/promises'
import type { Db } from '../../../db/database.ts'
import { lockWork } from '../../../db/locks.ts'
import * as rows from '../../../db/queries/catalogue/categories.ts'
import { listCategoryFilters } from '../../../db/queries/catalogue/category-filters.ts'
import type { Deps } from '../../deps.ts'
import { invalid } from '../../errors.ts'
import type { Actor } from '../../rules/accounts/roles.ts'
import { type CategoryTree, inOrder, type PlacedCategory, pathsOf } from '../../rules/catalogue/category-tree.ts'
import { compilePattern, idsOfUnused } from '../../rules/catalogue/category-visibility.ts'
import { write } from '../../runtime/write.ts'
import type { ListedCategories } from '../../schemas/categories.ts'
import type { CategoryFilterInput } from '../../schemas/category-filters.ts'
import { freshSetting } from '../settings/settings.ts'
import { readTree } from './categories.ts'
import { lockTree } from './category-editing.ts'

const UNUSED_REASON = 'No active products'
/** How long patterns are matched before the event loop gets a turn. */
const MAX_BLOCK_MS = 10
/** For all patterns and categories together; the database would end a transaction that is idle for longer. */
const MATCH_TIMEOUT_MS = 15_000

/** The enabled categories without an active product in their subtree. */
export async function previewHideUnused({ db }: Deps): Promise<ListedCategories> {
  return unusedCategories(db, await readTree(db))
}

/** Disables the categories that the preview would list now, and returns them. */
export function applyHideUnused(deps: Deps, actor: Actor): Promise<ListedCategories> {
  return write(deps, async (tx) => {
    const unused = await unusedCategories(tx.db, await lockTree(tx))
    const ids = unused.categories.map(({ id }) => id)
    await rows.disableCategories(tx.db, ids, UNUSED_REASON)
    tx.recordChange('category', ids)
    for (const entityId of ids) {
      const after = { enabled: false, hiddenReason: UNUSED_REASON }
      tx.audit({ actor, entity: 'CATEGORY', entityId, before: { enabled: true }, after })
    }
    return unused
  })
}

async function unusedCategories(db: Db, tree: CategoryTree): Promise<ListedCategories> {
  const unused = idsOfUnused(tree, await rows.countActiveProductsByCategory(db))
  return listed(tree, ({ row }) => row.enabled && unused.has(row.id))
}

/**
 * Hides categories that match a category filter or have no active products, and shows those hidden for neither reason any
 * more (docs/catalogue.md). Calls during a run share one more run after it.
 */
export async function updateVisibility(deps: Deps): Promise<void> {
  const { tasks, visibilityRuns } = deps
  await visibilityRuns.runNext(() => tasks.run((signal) => autoHide(deps, signal)))
}

/** Does the same after a sync or an edit, unless the job is switched off. Never rejects: the job will try again. */
export async function updateVisibilityIfEnabled(deps: Deps): Promise<void> {
  try {
    if ((await freshSetting(deps, 'job_category_visibility_enabled')) !== 'false') await updateVisibility(deps)
  } catch (err) {
    deps.log.warn({ err }, 'category visibility not updated')
  }
}

async function autoHide(deps: Deps, signal: AbortSignal): Promise<void> {
  const changed = await write(deps, async (tx) => {
    await lockWork(tx.db, 'categoryVisibility')
    const tree = await readTree(tx.db)
    const unused = idsOfUnused(tree, await rows.countActiveProductsByCategory(tx.db))
    const filters = (await listCategoryFilters(tx.db)).filter(({ active }) => active)
    const matched = await matchCategories(tree, filters, signal)
    await lockWork(tx.db, 'categoryTree')
    const categories = await rows.setAutoHidden(tx.db, [...matched], [...unused])
    const ids = categories.map(({ id }) => id)
    tx.recordChange('category', ids)
    return categories
  })
  const hidden = changed.filter((category) => category.hidden).length
  if (changed.length > 0) deps.log.info({ hidden, shown: changed.length - hidden }, 'category visibility updated')
}

/** Finds the ids of the categories that match any of the filters. @throws AppError 400 after MATCH_TIMEOUT_MS */
async function matchCategories(tree: CategoryTree, filters: CategoryFilterInput[], signal?: AbortSignal) {
  const deadline = performance.now() + MATCH_TIMEOUT_MS
  let blockEnd = performance.now() + MAX_BLOCK_MS
  const paths = pathsOf(tree)
  const matched = new Set<number>()
  for (const { pattern, target } of filters) {
    const isMatch = compilePattern(pattern)
    for (const { row } of tree.byId.values()) {
      if (performance.now() > blockEnd) {
        await setImmediate()
        signal?.throwIfAborted()
        if (performance.now() > deadline) throw invalid({ path: 'pattern', code: 'PATTERN_TOO_SLOW' })
        blockEnd = performance.now() + MAX_BLOCK_MS
      }
      const text = target === 'name' ? row.name : (paths.get(row.id) ?? row.name)
      if (!matched.has(row.id) && isMatch(text)) matched.add(row.id)
    }
  }
  return matched
}

/** Finds the categories that a filter matches. @throws AppError 400 */
export async function testFilter({ db }: Deps, filter: CategoryFilterInput): Promise<ListedCategories> {
  const tree = await readTree(db)
  const matched = await matchCategories(tree, [filter])
  return listed(tree, ({ row }) => matched.has(row.id))
}

/** The categories for which the condition holds, in tree order and with their paths. */
function listed(tree: CategoryTree, isListed: (place: PlacedCategory) => boolean): ListedCategories {
  const paths = pathsOf(tree)
  const categories = inOrder(tree)
    .filter(isListed)
    .map(({ row: { id, name }, parent, visible }) => ({
      id,
      name,
      path: paths.get(id) ?? name,
      parentId: parent?.row.id ?? null,
      visible,
    }))
  return { categories, count: categories.length }
}
