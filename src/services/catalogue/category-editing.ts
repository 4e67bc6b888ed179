import { deleteCategory as deleteRow } from '../../../db/queries/catalogue/category-edits.ts'
import { deleteSlugs } from '../../../db/queries/catalogue/slugs.ts'
import { insertRecord, nextRecordId, updateRecord } from '../../../db/queries/records.ts'
import { checkAll } from '../../errors.ts'
import type { Actor } from '../../rules/accounts/actor.ts'
import {
  childrenOf,
  nextDisplayOrder,
  readParent,
  refuseCycle,
} from '../../rules/catalogue/category-order.ts'
import type { CategoryRecord, CategoryTree } from '../../rules/catalogue/category-tree.ts'
import { fieldChecks } from '../../rules/catalogue/edited-fields.ts'
import type { Target } from '../../rules/versions.ts'
import { write } from '../../runtime/write.ts'
import type { Category, CategoryInput } from '../../schemas/categories.ts'
import {
  CATEGORY_FIELDS,
  type EditDeps,
  lockCategory,
  lockTree,
  parentColumns,
  readCategory,
  recordCategory,
} from './category-writes.ts'
import { reserveSlug } from './slugs.ts'

/** Checks the fields that are given. @throws AppError 400 */
export function checkCategory(input: Partial<CategoryInput>): void {
  checkAll(fieldChecks(CATEGORY_FIELDS, input))
}

/** Creates one of the shop's own categories, last among its siblings unless the input says otherwise. @throws AppError 400 */
export function createCategory(deps: EditDeps, actor: Actor, input: CategoryInput): Promise<Category> {
  return write(deps, async (tx) => {
    const tree = await lockTree(tx)
    const { parent, columns } = readInput(tree, input)
    const id = await nextRecordId(tx.db, 'categories')
    const row = await insertRecord(tx.db, 'categories', {
      ...columns,
      ...(await parentColumns(tx, parent)),
      id,
      slug: await reserveSlug(tx, 'category', { id, name: columns.name }),
      category_locked_by_gbstore: input.categoryLockedByGbstore,
      display_order: columns.display_order ?? nextDisplayOrder(childrenOf(tree, parent)),
    })
    recordCategory(tx, actor, null, row)
    return readCategory(deps, tx, id)
  })
}

/**
 * Updates the given fields. A supplier's category that gets another name or parent is locked unless the input says
 * otherwise, since the next sync would undo the edit.
 * @throws AppError 400; 404; 409 CATEGORY_CYCLE; 412 STALE
 */
export function updateCategory(
  deps: EditDeps,
  actor: Actor,
  target: Target,
  input: CategoryInput,
): Promise<Category> {
  return write(deps, async (tx) => {
    const { tree, place, row: before } = await lockCategory(deps, tx, target)
    const { parent, columns } = readInput(tree, input)
    const isMoved = input.parentId !== undefined && parent !== place.parent
    if (isMoved) refuseCycle(place, parent)
    const locks = (isMoved || columns.name !== before.name) && before.external_id !== null
    const after = await updateRecord(tx.db, 'categories', before.id, {
      ...columns,
      ...(isMoved && (await parentColumns(tx, parent))),
      category_locked_by_gbstore: input.categoryLockedByGbstore ?? (locks || undefined),
    })
    recordCategory(tx, actor, before, after)
    return readCategory(deps, tx, before.id)
  })
}

/**
 * Deletes a category: its products remain without a category, its children move to the top. The sync doesn't bring a
 * supplier's category back.
 * @throws AppError 404; 412 STALE
 */
export function deleteCategory(deps: EditDeps, actor: Actor, target: Target): Promise<void> {
  return write(deps, async (tx) => {
    const { row } = await lockCategory(deps, tx, target)
    tx.recordChange('category', await deleteRow(tx.db, row.id))
    await deleteSlugs(tx.db, 'category', [row.id])
    recordCategory(tx, actor, row, null)
  })
}

/** Sets the given slug, or else the one that the name gives. @throws AppError 400; 404; 409 SLUG_TAKEN; 412 STALE */
export function setCategorySlug(
  deps: EditDeps,
  actor: Actor,
  target: Target,
  wanted?: string,
): Promise<Category> {
  return write(deps, async (tx) => {
    const { row } = await lockCategory(deps, tx, target)
    const slug = await reserveSlug(tx, 'category', row, wanted)
    recordCategory(tx, actor, row, await updateRecord(tx.db, 'categories', row.id, { slug }))
    return readCategory(deps, tx, row.id)
  })
}

function readInput(tree: CategoryTree<CategoryRecord>, input: CategoryInput) {
  const { parent, ...columns } = checkAll({
    ...fieldChecks(CATEGORY_FIELDS, input),
    parent: () => readParent(tree, input.parentId ?? null),
  })
  return { parent, columns: { ...columns, name: columns.name ?? input.name } }
}
