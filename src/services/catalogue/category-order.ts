import { numberCategories, updateCategory } from '../../../db/queries/catalogue/category-edits.ts'
import type { UserRow } from '../../../db/tables/users.ts'
import {
  childrenAt,
  idsOf,
  placedAt,
  readParent,
  refuseCycle,
  refuseOtherChildren,
} from '../../rules/catalogue/category-places.ts'
import type { Target } from '../../rules/versions.ts'
import { type JsonBytes, toJsonBytes } from '../../runtime/cache/json-bytes.ts'
import { write } from '../../runtime/write.ts'
import type { CategoryMove, CategoryOrder } from '../../schemas/categories.ts'
import { categoriesNow } from './categories.ts'
import {
  categoryAnswer,
  type EditDeps,
  openCategory,
  openTree,
  placeBelow,
  sayCategory,
  settleTop,
} from './category-writes.ts'

/**
 * Puts a category below a parent, or at the top, at a place among what stands there. One of the supplier's that gets
 * another parent is locked, unless the move says otherwise; an orphan that is put at the top has its place there.
 * @throws AppError 400; 404; 409 CATEGORY_CYCLE; 412 STALE
 */
export function moveCategory(
  deps: EditDeps,
  actor: UserRow,
  target: Target,
  { parentId, position, categoryLockedByGbstore }: CategoryMove,
): Promise<JsonBytes> {
  return write(deps, async (tx) => {
    const { tree, place, row: before } = await openCategory(deps, tx, target)
    const parent = readParent(tree, parentId)
    const decided = parent !== place.parent || (parent === null && place.orphan)
    refuseCycle(place, parent)
    if (decided) await settleTop(tx, actor, tree, place)
    const ids = placedAt(childrenAt(tree, parent), before.id, position)
    const after = await updateCategory(tx.db, before.id, {
      ...(decided && (await placeBelow(tx, parent))),
      category_locked_by_gbstore:
        categoryLockedByGbstore ?? ((decided && before.external_id !== null) || undefined),
      display_order: ids.indexOf(before.id),
    })
    tx.recordChange('category', await numberCategories(tx.db, ids))
    sayCategory(tx, actor, before, after)
    return categoryAnswer(deps, tx, before.id)
  })
}

/**
 * Puts everything that stands right below a parent, or at the top, into an order.
 * @throws AppError 400; 409 CHILDREN_DIFFER
 */
export function reorderCategories(
  deps: EditDeps,
  actor: UserRow,
  { parentId, ids }: CategoryOrder,
): Promise<JsonBytes> {
  return write(deps, async (tx) => {
    const tree = await openTree(tx)
    const children = childrenAt(tree, readParent(tree, parentId))
    refuseOtherChildren(children, ids)
    tx.recordChange('category', await numberCategories(tx.db, ids))
    tx.audit({
      actor,
      entity: 'CATEGORY',
      entityId: parentId ?? 'top',
      before: { children: idsOf(children) },
      after: { children: ids },
    })
    return toJsonBytes(await categoriesNow({ db: tx.db, cached: deps.cached }, ids))
  })
}
