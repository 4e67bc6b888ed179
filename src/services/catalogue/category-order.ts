import { numberCategories } from '../../../db/queries/catalogue/category-edits.ts'
import { updateRecord } from '../../../db/queries/records.ts'
import type { Actor } from '../../rules/accounts/actor.ts'
import {
  childrenOf,
  idsOf,
  idsWithCategoryAt,
  readParent,
  refuseCycle,
  refuseOtherChildren,
} from '../../rules/catalogue/category-order.ts'
import type { Target } from '../../rules/versions.ts'
import { write } from '../../runtime/write.ts'
import type { Category, CategoryMove, CategoryOrder } from '../../schemas/categories.ts'
import { readCategories } from './categories.ts'
import {
  type EditDeps,
  lockCategory,
  lockTree,
  parentColumns,
  readCategory,
  recordCategory,
} from './category-writes.ts'

/**
 * Moves a category to a position below a parent or at the top. A supplier's category that gets another parent is
 * locked unless the move says otherwise; an orphan that is moved to the top is no longer one.
 * @throws AppError 400; 404; 409 CATEGORY_CYCLE; 412 STALE
 */
export function moveCategory(
  deps: EditDeps,
  actor: Actor,
  target: Target,
  { parentId, position, categoryLockedByGbstore }: CategoryMove,
): Promise<Category> {
  return write(deps, async (tx) => {
    const { tree, place, row: before } = await lockCategory(deps, tx, target)
    const parent = readParent(tree, parentId)
    const isMoved = parent !== place.parent || (parent === null && place.orphan)
    refuseCycle(place, parent)
    const ids = idsWithCategoryAt(childrenOf(tree, parent), before.id, position)
    const after = await updateRecord(tx.db, 'categories', before.id, {
      ...(isMoved && (await parentColumns(tx, parent))),
      category_locked_by_gbstore:
        categoryLockedByGbstore ?? ((isMoved && before.external_id !== null) || undefined),
      display_order: ids.indexOf(before.id),
    })
    tx.recordChange('category', await numberCategories(tx.db, ids))
    recordCategory(tx, actor, before, after)
    return readCategory(deps, tx, before.id)
  })
}

/** Orders all direct children of a parent, or of the top. @throws AppError 400; 409 CHILDREN_DIFFER */
export function reorderCategories(
  deps: EditDeps,
  actor: Actor,
  { parentId, ids }: CategoryOrder,
): Promise<Category[]> {
  return write(deps, async (tx) => {
    const tree = await lockTree(tx)
    const children = childrenOf(tree, readParent(tree, parentId))
    refuseOtherChildren(children, ids)
    tx.recordChange('category', await numberCategories(tx.db, ids))
    tx.audit({
      actor,
      entity: 'CATEGORY',
      entityId: parentId ?? 'top',
      before: { children: idsOf(children) },
      after: { children: ids },
    })
    return readCategories({ db: tx.db, cached: deps.cached }, ids)
  })
}
