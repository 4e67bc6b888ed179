import type { Updateable } from 'kysely'
import { lockWork } from '../../../db/locks.ts'
import * as rows from '../../../db/queries/catalogue/categories.ts'
import { deleteSlugs, reserveId } from '../../../db/queries/catalogue/slugs.ts'
import type { CatalogueTables, CategoryRow } from '../../../db/tables/catalogue.ts'
import type { Deps } from '../../deps.ts'
import { found } from '../../errors.ts'
import type { Actor } from '../../rules/accounts/roles.ts'
import * as rules from '../../rules/catalogue/category-tree.ts'
import { readName, textOrNull } from '../../rules/text.ts'
import { hasChanges, refuseStale, type Target } from '../../rules/versions.ts'
import { type UnitOfWork, write } from '../../runtime/write.ts'
import type { CategoryInput, CategoryMove, CategoryOrder, StaffCategory } from '../../schemas/categories.ts'
import { type Placed, readCategories, readTree, type Tree } from './categories.ts'
import { reserveSlug } from './editing.ts'

/** A category as the audit log shows it. */
export function auditedCategory(row: CategoryRow) {
  return {
    name: row.name,
    hiddenReason: row.hidden_reason,
    categoryLockedByGbstore: row.category_locked_by_gbstore,
    icon: row.icon,
    metaTitle: row.meta_title,
    metaDescription: row.meta_description,
    parentId: row.parent_id,
    enabled: row.enabled,
    showInHomepage: row.show_in_homepage,
    displayOrder: row.display_order,
    seoTextDoc: row.seo_text_doc,
    externalId: row.external_id,
    slug: row.slug,
  }
}

/** Creates one of the shop's own categories, last among its siblings unless the input says otherwise. @throws AppError 400 */
export function createCategory(deps: Deps, actor: Actor, input: CategoryInput): Promise<StaffCategory> {
  return write(deps, async (tx) => {
    const tree = await lockTree(tx)
    const { parent, columns } = readInput(tree, input)
    const id = await reserveId(tx.db, 'category')
    const row = await rows.insertCategory(tx.db, {
      ...columns,
      ...parentColumns(parent),
      id,
      slug: await reserveSlug(tx, 'category', { id, name: columns.name }),
      display_order: columns.display_order ?? rules.nextDisplayOrder(rules.childrenOf(tree, parent)),
    })
    tx.recordChange('category', [id])
    tx.audit({ actor, entity: 'CATEGORY', entityId: id, before: null, after: auditedCategory(row) })
    return readCategory(tx, id)
  })
}

/**
 * Updates the given fields. Unless the input says otherwise, another name or parent locks a supplier's category: the next
 * sync would undo the edit. @throws AppError 400; 404; 409 CATEGORY_CYCLE; 412 STALE
 */
export function updateCategory(deps: Deps, actor: Actor, target: Target, input: CategoryInput) {
  return editCategory(deps, actor, target, async (_tx, { tree, place }) => {
    const { name, external_id } = place.row
    const { parent, columns } = readInput(tree, input)
    const isMoved = input.parentId !== undefined && parent !== place.parent
    if (isMoved) rules.refuseCycle(place, parent)
    const locks = (isMoved || columns.name !== name) && external_id !== null
    return {
      ...columns,
      ...(isMoved && parentColumns(parent)),
      category_locked_by_gbstore: input.categoryLockedByGbstore ?? (locks || undefined),
    }
  })
}

export function deleteCategory(deps: Deps, actor: Actor, target: Target): Promise<void> {
  return write(deps, async (tx) => {
    const { row } = (await lockCategory(tx, target)).place
    tx.recordChange('category', await rows.deleteCategory(tx.db, row.id))
    await deleteSlugs(tx.db, 'category', row.id)
    tx.recordChange('category', [row.id])
    tx.audit({ actor, entity: 'CATEGORY', entityId: row.id, before: auditedCategory(row), after: null })
  })
}

/** Sets the given slug, or else the one that the name gives. @throws AppError 400; 404; 409 SLUG_TAKEN; 412 STALE */
export function setCategorySlug(deps: Deps, actor: Actor, target: Target, wanted?: string) {
  return editCategory(deps, actor, target, async (tx, { place }) => ({
    slug: await reserveSlug(tx, 'category', place.row, wanted),
  }))
}

/** Moves a category; another parent locks it as in updateCategory. @throws AppError 400; 404; 409 CATEGORY_CYCLE; 412 STALE */
export function moveCategory(deps: Deps, actor: Actor, target: Target, move: CategoryMove) {
  const { parentId, position } = move
  return editCategory(deps, actor, target, async (tx, { tree, place }) => {
    const { id, external_id, version } = place.row
    const parent = rules.readParent(tree, parentId)
    // An orphan that is moved to the top is no longer one.
    const isMoved = parent !== place.parent || (parent === null && place.orphan)
    rules.refuseCycle(place, parent)
    const siblings = rules.idsOf(rules.childrenOf(tree, parent))
    const ids = siblings.filter((sibling) => sibling !== id).toSpliced(position, 0, id)
    const index = ids.indexOf(id)
    // Id 0 holds the place of the category itself, which is numbered with its other columns.
    tx.recordChange('category', await rows.numberCategories(tx.db, ids.with(index, 0), []))
    return {
      ...(isMoved && parentColumns(parent)),
      category_locked_by_gbstore: (isMoved && external_id !== null) || undefined,
      display_order: index,
      // Among siblings without numbers it may have had this one before.
      ...(siblings.indexOf(id) !== index && { version: version + 1 }),
    }
  })
}

/** Orders all direct children of a parent, or the top level. @throws AppError 400; 409 CHILDREN_DIFFER */
export function reorderCategories(deps: Deps, actor: Actor, { parentId, ids }: CategoryOrder) {
  return write(deps, async (tx) => {
    const tree = await lockTree(tx)
    const children = rules.childrenOf(tree, rules.readParent(tree, parentId))
    rules.refuseOtherChildren(children, ids)
    const before = rules.idsOf(children)
    tx.recordChange('category', await rows.numberCategories(tx.db, ids, rules.movedIds(before, ids)))
    const change = { before: { children: before }, after: { children: ids } }
    tx.audit({ actor, entity: 'CATEGORY', entityId: parentId ?? 'top', ...change })
    return readCategories(tx.db, ids)
  })
}

function readInput(tree: Tree, input: CategoryInput) {
  const columns = {
    name: readName(input.name),
    hidden_reason: textOrNull(input.hiddenReason),
    category_locked_by_gbstore: input.categoryLockedByGbstore,
    icon: textOrNull(input.icon),
    meta_title: textOrNull(input.metaTitle),
    meta_description: textOrNull(input.metaDescription),
    enabled: input.enabled,
    show_in_homepage: input.showInHomepage,
    display_order: input.displayOrder,
    seo_text_doc: input.seoTextDoc,
  }
  return { parent: rules.readParent(tree, input.parentId ?? null), columns }
}

export async function lockTree({ db }: UnitOfWork): Promise<Tree> {
  await lockWork(db, 'categoryTree')
  return readTree(db)
}

/** Locks the tree and finds a category in it. @throws AppError 404; 412 STALE */
async function lockCategory(tx: UnitOfWork, { id, ifMatch }: Target) {
  const tree = await lockTree(tx)
  const place = found(tree.byId.get(id), 'category')
  await refuseStale(ifMatch, place.row.version, () => readCategory(tx, id))
  return { tree, place }
}

type Edit = (
  tx: UnitOfWork,
  located: { tree: Tree; place: Placed },
) => Promise<Updateable<CatalogueTables['categories']>>

/** Locks a category, writes the columns that the edit returns, and records it. @throws AppError 404; 412 STALE */
function editCategory(deps: Deps, actor: Actor, target: Target, edit: Edit): Promise<StaffCategory> {
  return write(deps, async (tx) => {
    const located = await lockCategory(tx, target)
    const { row } = located.place
    const columns = await edit(tx, located)
    if (hasChanges(row, columns)) {
      const after = auditedCategory(await rows.updateCategory(tx.db, row.id, columns))
      tx.recordChange('category', [row.id])
      tx.audit({ actor, entity: 'CATEGORY', entityId: row.id, before: auditedCategory(row), after })
    }
    return readCategory(tx, row.id)
  })
}

/** The category with this transaction's changes. @throws AppError 404 */
async function readCategory({ db }: UnitOfWork, id: number): Promise<StaffCategory> {
  const [category] = await readCategories(db, [id])
  return found(category, 'category')
}

/** The columns that name the parent, the supplier's id of it included. */
function parentColumns(parent: Placed | null) {
  return { parent_id: parent?.row.id ?? null, parent_external_id: parent?.row.external_id ?? null }
}
