import * as rows from '../../../db/queries/catalogue/category-filters.ts'
import type { Deps } from '../../deps.ts'
import { found } from '../../errors.ts'
import type { Actor } from '../../rules/accounts/roles.ts'
import { compilePattern } from '../../rules/catalogue/category-visibility.ts'
import { hasChanges, refuseStale, type Target } from '../../rules/versions.ts'
import { type UnitOfWork, write } from '../../runtime/write.ts'
import type { CategoryFilter, CategoryFilterInput } from '../../schemas/category-filters.ts'

export async function listCategoryFilters({ db }: Deps): Promise<CategoryFilter[]> {
  return (await rows.listCategoryFilters(db)).map(toCategoryFilter)
}

/** @throws AppError 400 */
export function createCategoryFilter(deps: Deps, actor: Actor, input: CategoryFilterInput): Promise<CategoryFilter> {
  checkFilter(input)
  return write(deps, async (tx) => {
    const after = toCategoryFilter(await rows.insertCategoryFilter(tx.db, input))
    tx.recordChange('categoryFilter', [after.id])
    tx.audit({ actor, entity: 'CATEGORY_FILTER', entityId: after.id, before: null, after })
    return after
  })
}

/** @throws AppError 400; 404; 412 STALE */
export function updateCategoryFilter(
  deps: Deps,
  actor: Actor,
  target: Target,
  { pattern, target: text, active }: CategoryFilterInput,
): Promise<CategoryFilter> {
  checkFilter({ pattern })
  return write(deps, async (tx) => {
    const before = await lockCurrent(tx, target)
    const values = { pattern, target: text, active }
    if (!hasChanges(before, values)) return before
    const after = toCategoryFilter(await rows.updateCategoryFilter(tx.db, target.id, values))
    tx.recordChange('categoryFilter', [target.id])
    tx.audit({ actor, entity: 'CATEGORY_FILTER', entityId: target.id, before, after })
    return after
  })
}

/** @throws AppError 404; 412 STALE */
export function deleteCategoryFilter(deps: Deps, actor: Actor, target: Target): Promise<void> {
  return write(deps, async (tx) => {
    const before = await lockCurrent(tx, target)
    await rows.deleteCategoryFilter(tx.db, target.id)
    tx.recordChange('categoryFilter', [target.id])
    tx.audit({ actor, entity: 'CATEGORY_FILTER', entityId: target.id, before, after: null })
  })
}

/** Checks the pattern if it is given. @throws AppError 400 */
export function checkFilter({ pattern }: Partial<CategoryFilterInput>): void {
  if (pattern !== undefined) compilePattern(pattern)
}

async function lockCurrent(tx: UnitOfWork, { id, ifMatch }: Target): Promise<CategoryFilter> {
  const filter = toCategoryFilter(found(await rows.lockCategoryFilter(tx.db, id), 'category filter'))
  await refuseStale(ifMatch, filter.version, () => filter)
  return filter
}

function toCategoryFilter(row: rows.CategoryFilterRow): CategoryFilter {
  return {
    id: row.id,
    pattern: row.pattern,
    target: row.target,
    active: row.active,
    version: row.version,
    createdAt: row.created_at.toISOString(),
    updatedAt: row.updated_at.toISOString(),
  }
}
