import { setImmediate } from 'node:timers/promises'
import type { Db } from '../../../db/database.ts'
import { countActiveProductsByCategory, listCategories } from '../../../db/queries/catalogue/categories.ts'
import { disableCategories, lockCategoryTree } from '../../../db/queries/catalogue/category-edits.ts'
import {
  isCatalogueComplete,
  listCategoryFilters,
  lockCategoryVisibility,
  setAutoHidden,
} from '../../../db/queries/catalogue/category-visibility.ts'
import type { CategoryFilterRow } from '../../../db/tables/category-filters.ts'
import type { Deps } from '../../deps.ts'
import { invalid } from '../../errors.ts'
import type { Actor } from '../../rules/accounts/actor.ts'
import { createPatterns } from '../../rules/catalogue/category-patterns.ts'
import {
  arrangeCategories,
  type CategoryRecord,
  type CategoryTree,
  inOrder,
  pathsOf,
} from '../../rules/catalogue/category-tree.ts'
import { listUnused, planAutoHide } from '../../rules/catalogue/category-visibility.ts'
import { type UnitOfWork, write } from '../../runtime/write.ts'
import type { UnusedCategories } from '../../schemas/categories.ts'
import { freshSetting } from '../settings/settings.ts'
import { lockTree } from './category-editing.ts'

const UNUSED_REASON = 'No active products'
/** How long patterns are matched before the event loop gets a turn. */
const MAX_BLOCK_MS = 10
const MATCH_TIMEOUT_MS = 10_000

type VisibilityDeps = Pick<Deps, 'db' | 'log' | 'changes' | 'tasks' | 'visibilityRuns'>

/** The enabled categories without an active product in their subtree. */
export async function previewHideUnused({ db }: Pick<Deps, 'db'>): Promise<UnusedCategories> {
  return unusedCategories(db, arrangeCategories(await listCategories(db)))
}

/** Disables what the preview would list now, and returns it. */
export function applyHideUnused(deps: Pick<Deps, 'db' | 'changes'>, actor: Actor): Promise<UnusedCategories> {
  return write(deps, async (tx) => {
    const unused = await unusedCategories(tx.db, await lockTree(tx))
    const ids = unused.categories.map(({ id }) => id)
    const disabled = await disableCategories(tx.db, ids, UNUSED_REASON)
    tx.recordChange('category', disabled)
    for (const entityId of disabled) {
      const after = { enabled: false, hiddenReason: UNUSED_REASON }
      tx.audit({ actor, entity: 'CATEGORY', entityId, before: { enabled: true }, after })
    }
    return unused
  })
}

async function unusedCategories(db: Db, tree: CategoryTree<CategoryRecord>): Promise<UnusedCategories> {
  const paths = pathsOf(tree)
  const unused = listUnused(tree, await countActiveProductsByCategory(db)).filter(({ row }) => row.enabled)
  const categories = unused.map(({ row: { id, name }, parent, visible }) => ({
    id,
    name,
    path: paths.get(id) ?? name,
    parentId: parent?.row.id ?? null,
    visible,
  }))
  return { categories, count: categories.length }
}

/**
 * Hides categories that match a rule or have no active products, and shows hidden ones for which neither holds any more
 * (contract section 4, "auto-hide job"). Calls during a run share one more run after it. Does nothing while
 * `job_category_visibility_enabled` is false.
 * @param from `run` for a caller that publishes at its own end
 */
export async function updateVisibility(deps: VisibilityDeps, from: 'here' | 'run' = 'here'): Promise<void> {
  await deps.tasks.runNext(deps.visibilityRuns, (signal) => autoHide(deps, from, signal))
}

async function autoHide(deps: VisibilityDeps, from: 'here' | 'run', signal: AbortSignal): Promise<void> {
  if ((await freshSetting(deps, 'job_category_visibility_enabled')) === 'false') return
  const update = async (tx: UnitOfWork) => {
    await lockCategoryVisibility(tx.db)
    const complete = await isCatalogueComplete(tx.db)
    const tree = arrangeCategories(await listCategories(tx.db))
    const direct = await countActiveProductsByCategory(tx.db)
    const rules = (await listCategoryFilters(tx.db)).filter(({ active }) => active)
    const matched = await matchCategories(tree, rules, signal)
    const plan = planAutoHide(tree, { direct, matched, complete })
    await lockCategoryTree(tx.db)
    tx.recordChange('category', await setAutoHidden(tx.db, plan))
    return { hidden: plan.hide.length, shown: plan.show.length }
  }
  const counts = await write(deps, update, from)
  if (counts.hidden + counts.shown > 0) deps.log.info(counts, 'category visibility updated')
}

/**
 * The ids of the categories that match any of the rules, without blocking the event loop for longer than MAX_BLOCK_MS.
 * @throws AppError 400 after MATCH_TIMEOUT_MS
 */
export async function matchCategories(
  tree: CategoryTree<CategoryRecord>,
  rules: Pick<CategoryFilterRow, 'pattern' | 'target'>[],
  signal?: AbortSignal,
): Promise<Set<number>> {
  const deadline = performance.now() + MATCH_TIMEOUT_MS
  let blockEnd = performance.now() + MAX_BLOCK_MS
  const isDue = () => performance.now() > blockEnd
  async function yieldToOthers(): Promise<void> {
    await setImmediate()
    signal?.throwIfAborted()
    if (performance.now() > deadline) throw invalid({ path: 'pattern', message: 'takes too long to compare' })
    blockEnd = performance.now() + MAX_BLOCK_MS
  }

  const patterns = { name: createPatterns(), path: createPatterns() }
  for (const { pattern, target } of rules) {
    if (isDue()) await yieldToOthers()
    patterns[target].add(pattern)
  }
  const paths = pathsOf(tree)
  const matched = new Set<number>()
  for (const { row } of inOrder(tree)) {
    const texts = { name: row.name, path: paths.get(row.id) ?? row.name }
    for (const target of ['name', 'path'] as const) {
      for (const matches of patterns[target].matchers) {
        if (isDue()) await yieldToOthers()
        if (!matched.has(row.id) && matches(texts[target])) matched.add(row.id)
      }
    }
  }
  return matched
}
