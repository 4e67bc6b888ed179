import { setImmediate } from 'node:timers/promises'
import {
  countActiveProductsByCategory,
  listCategoryPlaces,
} from '../../../db/queries/catalogue/categories.ts'
import { lockCategoryTree } from '../../../db/queries/catalogue/category-edits.ts'
import {
  isCatalogueWhole,
  listCategoryFilters,
  lockCategoryVisibility,
  setAutoHidden,
} from '../../../db/queries/catalogue/category-visibility.ts'
import type { CategoryFilterRow } from '../../../db/tables/category-filters.ts'
import type { Deps } from '../../deps.ts'
import { invalid } from '../../errors.ts'
import { createPatterns, type Patterns } from '../../rules/catalogue/category-patterns.ts'
import {
  arrangeCategories,
  type CategoryRecord,
  type CategoryTree,
  inOrder,
  pathsOf,
} from '../../rules/catalogue/category-tree.ts'
import { autoHiding } from '../../rules/catalogue/category-visibility.ts'
import { type UnitOfWork, write } from '../../runtime/write.ts'
import { freshSetting } from '../settings/settings.ts'

/** So long patterns are compared before others get a turn of the event loop, and so long altogether. */
const TURN_MS = 10
const PATIENCE_MS = 10_000

type VisibilityDeps = Pick<Deps, 'db' | 'log' | 'changes' | 'tasks' | 'visibilityRuns'>

/**
 * Hides categories by the rules and for want of products, and shows those again for which neither holds any more
 * (contract section 4, "auto-hide job"). Calls during a run share one more, which begins behind it; what
 * `job_category_visibility_enabled` switches off does nothing.
 * @param from `run`: whoever calls sees to what is published
 */
export async function updateVisibility(deps: VisibilityDeps, from: 'here' | 'run' = 'here'): Promise<void> {
  await deps.tasks.runNext(deps.visibilityRuns, (signal) => decide(deps, from, signal))
}

async function decide(deps: VisibilityDeps, from: 'here' | 'run', signal: AbortSignal): Promise<void> {
  if ((await freshSetting(deps, 'job_category_visibility_enabled')) === 'false') return
  const update = async (tx: UnitOfWork) => {
    await lockCategoryVisibility(tx.db)
    const whole = await isCatalogueWhole(tx.db)
    const tree = arrangeCategories(await listCategoryPlaces(tx.db))
    const direct = await countActiveProductsByCategory(tx.db)
    const rules = (await listCategoryFilters(tx.db)).filter(({ active }) => active)
    const matched = await matchedBy(tree, rules, signal)
    const hiding = autoHiding(tree, { direct, matched, whole })
    await lockCategoryTree(tx.db)
    tx.recordChange('category', await setAutoHidden(tx.db, hiding))
    return { hidden: hiding.hide.length, shown: hiding.show.length }
  }
  const made = await write(deps, update, from)
  if (made.hidden + made.shown > 0) deps.log.info(made, 'categories hidden and shown automatically')
}

/**
 * The categories that any of the rules matches. The event loop stays free, whatever the patterns are.
 * @throws AppError 400 when it takes too long
 */
export async function matchedBy(
  tree: CategoryTree<CategoryRecord>,
  rules: Pick<CategoryFilterRow, 'pattern' | 'target'>[],
  signal?: AbortSignal,
): Promise<Set<number>> {
  const turns = createBoundedQueue(signal)
  const patterns = { name: createPatterns(), path: createPatterns() }
  for (const { pattern, target } of rules) {
    if (turns.isOver()) await turns.next()
    patterns[target].add(pattern)
  }
  const paths = pathsOf(tree)
  const matched = new Set<number>()
  for (const { row } of inOrder(tree)) {
    const compared: [string, Patterns][] = [
      [row.name, patterns.name],
      [paths.get(row.id) ?? row.name, patterns.path],
    ]
    for (const [text, { matchers }] of compared) {
      for (const matches of matchers) {
        if (turns.isOver()) await turns.next()
        if (!matched.has(row.id) && matches(text)) matched.add(row.id)
      }
    }
  }
  return matched
}

function createBoundedQueue(signal: AbortSignal | undefined) {
  const end = performance.now() + PATIENCE_MS
  let turnEnd = performance.now() + TURN_MS
  return {
    isOver: () => performance.now() > turnEnd,
    async next(): Promise<void> {
      await setImmediate()
      signal?.throwIfAborted()
      if (performance.now() > end) throw invalid({ path: 'pattern', message: 'takes too long to compare' })
      turnEnd = performance.now() + TURN_MS
    },
  }
}
