import { listCategoryPlaces } from '../../../db/queries/catalogue/categories.ts'
import {
  findCategory,
  lockCategoryTree,
  updateCategory,
} from '../../../db/queries/catalogue/category-edits.ts'
import type { CategoryRow } from '../../../db/tables/categories.ts'
import type { UserRow } from '../../../db/tables/users.ts'
import type { Deps } from '../../deps.ts'
import { notFound, stale } from '../../errors.ts'
import { heldAtTop } from '../../rules/catalogue/category-places.ts'
import {
  arrangeCategories,
  type CategoryRecord,
  type CategoryTree,
  type PlacedCategory,
} from '../../rules/catalogue/category-tree.ts'
import { isStale, type Target } from '../../rules/versions.ts'
import { type JsonBytes, toJsonBytes } from '../../runtime/cache/json-bytes.ts'
import type { UnitOfWork } from '../../runtime/write.ts'
import { categoriesNow } from './categories.ts'

export type EditDeps = Pick<Deps, 'db' | 'changes' | 'cached'>
export type Placed = PlacedCategory<CategoryRecord>

/** The tree as it is, and stays until the transaction ends. */
export async function openTree({ db }: UnitOfWork): Promise<CategoryTree<CategoryRecord>> {
  await lockCategoryTree(db)
  return arrangeCategories(await listCategoryPlaces(db))
}

/** The category that is to be changed, with its place. @throws AppError 404; 412 STALE */
export async function openCategory(
  { cached }: EditDeps,
  tx: UnitOfWork,
  { id, ifMatch }: Target,
): Promise<{ tree: CategoryTree<CategoryRecord>; place: Placed; row: CategoryRow }> {
  const tree = await openTree(tx)
  const place = tree.byId.get(id)
  const row = await findCategory(tx.db, id)
  if (place === undefined || row === undefined) throw notFound('category')
  if (isStale(ifMatch, row.version)) {
    const [current = {}] = await categoriesNow({ db: tx.db, cached }, [id])
    throw stale(current)
  }
  return { tree, place, row }
}

/** The category as this transaction leaves it. */
export async function categoryAnswer({ cached }: EditDeps, tx: UnitOfWork, id: number): Promise<JsonBytes> {
  const [category = {}] = await categoriesNow({ db: tx.db, cached }, [id])
  return toJsonBytes(category)
}

/** What a row says of its new place. The supplier's own word is forgotten: an unlocked category hears it again. */
export async function placeBelow(
  { db }: UnitOfWork,
  parent: Placed | null,
): Promise<{ parent_id: number | null; parent_external_id: string | null }> {
  const row = parent && (await findCategory(db, parent.row.id))
  return { parent_id: row?.id ?? null, parent_external_id: row?.external_id ?? null }
}

/** Before a category leaves its place: what only its circle of parents kept at the top stays there. */
export async function settleTop(
  tx: UnitOfWork,
  actor: UserRow,
  tree: CategoryTree<CategoryRecord>,
  place: Placed,
): Promise<void> {
  const top = heldAtTop(tree, place)
  const before = top && (await findCategory(tx.db, top.row.id))
  if (!before) return
  const after = await updateCategory(tx.db, before.id, {
    parent_id: null,
    parent_external_id: null,
    category_locked_by_gbstore: before.category_locked_by_gbstore || before.external_id !== null,
  })
  sayCategory(tx, actor, before, after)
}

/** Says that a category was made, changed or deleted, and by whom. */
export function sayCategory(
  tx: UnitOfWork,
  actor: UserRow,
  before: CategoryRow | null,
  after: CategoryRow | null,
): void {
  const entityId = after?.id ?? before?.id ?? 0
  tx.recordChange('category', [entityId])
  tx.audit({ actor, entity: 'CATEGORY', entityId, before: audited(before), after: audited(after) })
}

function audited(row: CategoryRow | null): { [field: string]: unknown } | null {
  return (
    row && {
      externalId: row.external_id,
      name: row.name,
      slug: row.slug,
      parentId: row.parent_id,
      enabled: row.enabled,
      showInHomepage: row.show_in_homepage,
      displayOrder: row.display_order,
      icon: row.icon,
      hiddenReason: row.hidden_reason,
      metaTitle: row.meta_title,
      metaDescription: row.meta_description,
      seoTextDoc: row.seo_text_doc,
      categoryLockedByGbstore: row.category_locked_by_gbstore,
    }
  )
}
