import { listCategories } from '../../../db/queries/catalogue/categories.ts'
import {
  deleteCategory as deleteRow,
  lockCategoryTree,
  numberCategories,
} from '../../../db/queries/catalogue/category-edits.ts'
import { deleteSlugs } from '../../../db/queries/catalogue/slugs.ts'
import { insertRecord, nextRecordId, updateRecord } from '../../../db/queries/records.ts'
import type { CategoryRow } from '../../../db/tables/categories.ts'
import type { Deps } from '../../deps.ts'
import { checkAll, found, stale } from '../../errors.ts'
import type { Actor } from '../../rules/accounts/actor.ts'
import {
  childrenOf,
  idsOf,
  idsWithCategoryAt,
  nextDisplayOrder,
  readParent,
  refuseCycle,
  refuseOtherChildren,
} from '../../rules/catalogue/category-order.ts'
import {
  arrangeCategories,
  type CategoryTree,
  type PlacedCategory,
} from '../../rules/catalogue/category-tree.ts'
import {
  type Fields,
  fieldChecks,
  readName,
  readText,
  unchanged,
} from '../../rules/catalogue/edited-fields.ts'
import { readSeoText } from '../../rules/catalogue/seo-text.ts'
import { isStale, type Target } from '../../rules/versions.ts'
import { type UnitOfWork, write } from '../../runtime/write.ts'
import type { Category, CategoryInput, CategoryMove, CategoryOrder } from '../../schemas/categories.ts'
import { recordEdit } from '../records.ts'
import { readCategories } from './categories.ts'
import { reserveSlug } from './slugs.ts'

type Tree = CategoryTree<CategoryRow>
type Placed = PlacedCategory<CategoryRow>

/** The fields that staff edit besides the place. */
const FIELDS = {
  name: { column: 'name', read: readName },
  enabled: { column: 'enabled', read: unchanged<boolean> },
  showInHomepage: { column: 'show_in_homepage', read: unchanged<boolean> },
  displayOrder: { column: 'display_order', read: unchanged<number> },
  icon: { column: 'icon', read: readText },
  hiddenReason: { column: 'hidden_reason', read: readText },
  metaTitle: { column: 'meta_title', read: readText },
  metaDescription: { column: 'meta_description', read: readText },
  seoTextDoc: { column: 'seo_text_doc', read: readSeoText },
} as const satisfies Fields<keyof CategoryRow>

/** How edits are recorded. */
const EDITED = {
  change: 'category',
  entity: 'CATEGORY',
  fields: {
    ...FIELDS,
    externalId: { column: 'external_id' },
    slug: { column: 'slug' },
    parentId: { column: 'parent_id' },
    categoryLockedByGbstore: { column: 'category_locked_by_gbstore' },
  },
} as const

/** Checks the fields that are given. @throws AppError 400 */
export function checkCategory(input: Partial<CategoryInput>): void {
  checkAll(fieldChecks(FIELDS, input))
}

/** Creates one of the shop's own categories, last among its siblings unless the input says otherwise. @throws AppError 400 */
export function createCategory(deps: Deps, actor: Actor, input: CategoryInput): Promise<Category> {
  return write(deps, async (tx) => {
    const tree = await lockTree(tx)
    const { parent, columns } = readInput(tree, input)
    const id = await nextRecordId(tx.db, 'categories')
    const row = await insertRecord(tx.db, 'categories', {
      ...columns,
      ...parentColumns(parent),
      id,
      slug: await reserveSlug(tx, 'category', { id, name: columns.name }),
      category_locked_by_gbstore: input.categoryLockedByGbstore,
      display_order: columns.display_order ?? nextDisplayOrder(childrenOf(tree, parent)),
    })
    recordEdit(tx, EDITED, actor, null, row)
    return readCategory(deps, tx, id)
  })
}

/**
 * Updates the given fields. A supplier's category that gets another name or parent is locked unless the input says
 * otherwise, since the next sync would undo the edit.
 * @throws AppError 400; 404; 409 CATEGORY_CYCLE; 412 STALE
 */
export function updateCategory(
  deps: Deps,
  actor: Actor,
  target: Target,
  input: CategoryInput,
): Promise<Category> {
  return write(deps, async (tx) => {
    const { tree, place } = await lockCategory(deps, tx, target)
    const before = place.row
    const { parent, columns } = readInput(tree, input)
    const isMoved = input.parentId !== undefined && parent !== place.parent
    if (isMoved) refuseCycle(place, parent)
    const locks = (isMoved || columns.name !== before.name) && before.external_id !== null
    const after = await updateRecord(tx.db, 'categories', before.id, {
      ...columns,
      ...(isMoved && parentColumns(parent)),
      category_locked_by_gbstore: input.categoryLockedByGbstore ?? (locks || undefined),
    })
    recordEdit(tx, EDITED, actor, before, after)
    return readCategory(deps, tx, before.id)
  })
}

/**
 * Deletes a category: its products remain without a category, its children move to the top. The sync doesn't bring a
 * supplier's category back.
 * @throws AppError 404; 412 STALE
 */
export function deleteCategory(deps: Deps, actor: Actor, target: Target): Promise<void> {
  return write(deps, async (tx) => {
    const { place } = await lockCategory(deps, tx, target)
    const { row } = place
    tx.recordChange('category', await deleteRow(tx.db, row.id))
    await deleteSlugs(tx.db, 'category', [row.id])
    recordEdit(tx, EDITED, actor, row, null)
  })
}

/** Sets the given slug, or else the one that the name gives. @throws AppError 400; 404; 409 SLUG_TAKEN; 412 STALE */
export function setCategorySlug(
  deps: Deps,
  actor: Actor,
  target: Target,
  wanted?: string,
): Promise<Category> {
  return write(deps, async (tx) => {
    const { place } = await lockCategory(deps, tx, target)
    const { row } = place
    const slug = await reserveSlug(tx, 'category', row, wanted)
    recordEdit(tx, EDITED, actor, row, await updateRecord(tx.db, 'categories', row.id, { slug }))
    return readCategory(deps, tx, row.id)
  })
}

/**
 * Moves a category to a position below a parent or at the top. A supplier's category that gets another parent is
 * locked unless the move says otherwise; an orphan that is moved to the top is no longer one.
 * @throws AppError 400; 404; 409 CATEGORY_CYCLE; 412 STALE
 */
export function moveCategory(
  deps: Deps,
  actor: Actor,
  target: Target,
  { parentId, position, categoryLockedByGbstore }: CategoryMove,
): Promise<Category> {
  return write(deps, async (tx) => {
    const { tree, place } = await lockCategory(deps, tx, target)
    const before = place.row
    const parent = readParent(tree, parentId)
    const isMoved = parent !== place.parent || (parent === null && place.orphan)
    refuseCycle(place, parent)
    const ids = idsWithCategoryAt(childrenOf(tree, parent), before.id, position)
    const after = await updateRecord(tx.db, 'categories', before.id, {
      ...(isMoved && parentColumns(parent)),
      category_locked_by_gbstore:
        categoryLockedByGbstore ?? ((isMoved && before.external_id !== null) || undefined),
      display_order: ids.indexOf(before.id),
    })
    tx.recordChange('category', await numberCategories(tx.db, ids))
    recordEdit(tx, EDITED, actor, before, after)
    return readCategory(deps, tx, before.id)
  })
}

/** Orders all direct children of a parent, or of the top. @throws AppError 400; 409 CHILDREN_DIFFER */
export function reorderCategories(
  deps: Deps,
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

function readInput(tree: Tree, input: CategoryInput) {
  const { parent, ...columns } = checkAll({
    ...fieldChecks(FIELDS, input),
    parent: () => readParent(tree, input.parentId ?? null),
  })
  return { parent, columns: { ...columns, name: columns.name ?? input.name } }
}

/** Locks the tree until the transaction ends, and reads it. */
export async function lockTree({ db }: UnitOfWork): Promise<Tree> {
  await lockCategoryTree(db)
  return arrangeCategories(await listCategories(db))
}

/** Locks the tree and finds a category in it. @throws AppError 404; 412 STALE */
async function lockCategory(
  deps: Deps,
  tx: UnitOfWork,
  { id, ifMatch }: Target,
): Promise<{ tree: Tree; place: Placed }> {
  const tree = await lockTree(tx)
  const place = found(tree.byId.get(id), 'category')
  if (isStale(ifMatch, place.row.version)) throw stale(await readCategory(deps, tx, id))
  return { tree, place }
}

/** The category with this transaction's changes. @throws AppError 404 */
async function readCategory({ cached }: Deps, tx: UnitOfWork, id: number): Promise<Category> {
  const [category] = await readCategories({ db: tx.db, cached }, [id])
  return found(category, 'category')
}

/** The columns that name a parent. The supplier's own is overwritten: an unlocked category gets it with the next sync. */
function parentColumns(parent: Placed | null) {
  return { parent_id: parent?.row.id ?? null, parent_external_id: parent?.row.external_id ?? null }
}
