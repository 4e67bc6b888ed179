import {
  deleteCategory,
  insertCategory,
  nextCategoryId,
  updateCategory,
} from '../../../db/queries/catalogue/category-edits.ts'
import { forgetSlugs } from '../../../db/queries/catalogue/slugs.ts'
import type { UserRow } from '../../../db/tables/users.ts'
import { checkAll, invalid } from '../../errors.ts'
import {
  childrenAt,
  orderOfNewcomer,
  readParent,
  refuseCycle,
} from '../../rules/catalogue/category-places.ts'
import type { CategoryRecord, CategoryTree } from '../../rules/catalogue/category-tree.ts'
import { readSeoText } from '../../rules/catalogue/seo-text.ts'
import { optionalText } from '../../rules/content/links.ts'
import { oneLine } from '../../rules/text.ts'
import type { Target } from '../../rules/versions.ts'
import type { JsonBytes } from '../../runtime/cache/json-bytes.ts'
import { type UnitOfWork, write } from '../../runtime/write.ts'
import type { CategoryInput } from '../../schemas/categories.ts'
import {
  categoryAnswer,
  type EditDeps,
  openCategory,
  openTree,
  placeBelow,
  sayCategory,
  settleTop,
} from './category-writes.ts'
import { makeSlug, takeSlug } from './slugs.ts'

/** A category of the shop's own, behind its siblings unless told otherwise. @throws AppError 400 */
export function createCategory(deps: EditDeps, actor: UserRow, input: CategoryInput): Promise<JsonBytes> {
  return write(deps, async (tx) => {
    const tree = await openTree(tx)
    const { parent, values } = readInput(tree, input)
    const id = await nextCategoryId(tx.db)
    const row = await insertCategory(tx.db, {
      ...values,
      ...(await placeBelow(tx, parent)),
      id,
      slug: await makeSlug(tx, 'category', { id, name: values.name }),
      category_locked_by_gbstore: input.categoryLockedByGbstore,
      display_order: values.display_order ?? orderOfNewcomer(childrenAt(tree, parent)),
    })
    sayCategory(tx, actor, null, row)
    return categoryAnswer(deps, tx, id)
  })
}

/**
 * Undefined fields stay as they are. A category of the supplier's that gets another name or parent is locked, since
 * the next sync would undo it, unless the input says otherwise.
 * @throws AppError 400; 404; 409 CATEGORY_CYCLE; 412 STALE
 */
export function changeCategory(
  deps: EditDeps,
  actor: UserRow,
  target: Target,
  input: CategoryInput,
): Promise<JsonBytes> {
  return write(deps, async (tx) => {
    const { tree, place, row: before } = await openCategory(deps, tx, target)
    const { parent, values } = readInput(tree, input)
    const moves = input.parentId !== undefined && parent !== place.parent
    if (moves) {
      refuseCycle(place, parent)
      await settleTop(tx, actor, tree, place)
    }
    const decided = moves || values.name !== before.name
    const after = await updateCategory(tx.db, before.id, {
      ...values,
      ...(moves && (await placeBelow(tx, parent))),
      category_locked_by_gbstore:
        input.categoryLockedByGbstore ?? ((decided && before.external_id !== null) || undefined),
    })
    sayCategory(tx, actor, before, after)
    return categoryAnswer(deps, tx, before.id)
  })
}

/**
 * Its products stay, in no category, and what is right below it comes to the top. One of the supplier's doesn't come
 * back with the next sync.
 * @throws AppError 404; 412 STALE
 */
export function removeCategory(deps: EditDeps, actor: UserRow, target: Target): Promise<void> {
  return write(deps, async (tx) => {
    const { tree, place, row } = await openCategory(deps, tx, target)
    await settleTop(tx, actor, tree, place)
    tx.recordChange('category', await deleteCategory(tx.db, row.id))
    await forgetSlugs(tx.db, 'category', [row.id])
    sayCategory(tx, actor, row, null)
  })
}

/** The slug that staff chose (contract section 4, "Slugs"). @throws AppError 400; 404; 409 SLUG_TAKEN; 412 STALE */
export function changeCategorySlug(
  deps: EditDeps,
  actor: UserRow,
  target: Target,
  wanted: string,
): Promise<JsonBytes> {
  return reslug(deps, actor, target, (tx) => takeSlug(tx, 'category', target.id, wanted))
}

/** The slug that its name makes. @throws AppError 404; 412 STALE */
export function regenerateCategorySlug(deps: EditDeps, actor: UserRow, target: Target): Promise<JsonBytes> {
  return reslug(deps, actor, target, (tx, { name }) => makeSlug(tx, 'category', { id: target.id, name }))
}

function reslug(
  deps: EditDeps,
  actor: UserRow,
  target: Target,
  slugOf: (tx: UnitOfWork, row: { name: string }) => Promise<string>,
): Promise<JsonBytes> {
  return write(deps, async (tx) => {
    const { row } = await openCategory(deps, tx, target)
    const after = await updateCategory(tx.db, row.id, { slug: await slugOf(tx, row) })
    sayCategory(tx, actor, row, after)
    return categoryAnswer(deps, tx, row.id)
  })
}

function readInput(tree: CategoryTree<CategoryRecord>, input: CategoryInput) {
  const { name, parent, seoTextDoc } = checkAll({
    name: () => readName(input.name),
    parent: () => readParent(tree, input.parentId ?? null),
    seoTextDoc: () => readSeoText(input.seoTextDoc),
  })
  const values = {
    name,
    enabled: input.enabled,
    show_in_homepage: input.showInHomepage,
    display_order: input.displayOrder,
    icon: optionalText(input.icon),
    hidden_reason: optionalText(input.hiddenReason),
    meta_title: optionalText(input.metaTitle),
    meta_description: optionalText(input.metaDescription),
    seo_text_doc: seoTextDoc,
  }
  return { parent, values }
}

/** As the supplier's names are mended. */
function readName(text: string): string {
  const name = oneLine(text).normalize()
  if (name === '') throw invalid({ path: 'name', message: 'must say something' })
  return name
}
