import { listCategoryPlaces } from '../../../db/queries/catalogue/categories.ts'
import { lockCategoryTree } from '../../../db/queries/catalogue/category-edits.ts'
import { findRecord } from '../../../db/queries/records.ts'
import type { CategoryRow } from '../../../db/tables/categories.ts'
import type { Deps } from '../../deps.ts'
import { notFound, stale } from '../../errors.ts'
import type { Actor } from '../../rules/accounts/actor.ts'
import {
  arrangeCategories,
  type CategoryRecord,
  type CategoryTree,
  type PlacedCategory,
} from '../../rules/catalogue/category-tree.ts'
import {
  auditedFields,
  type Fields,
  readName,
  readText,
  unchanged,
} from '../../rules/catalogue/edited-fields.ts'
import { readSeoText } from '../../rules/catalogue/seo-text.ts'
import { isStale, type Target } from '../../rules/versions.ts'
import type { UnitOfWork } from '../../runtime/write.ts'
import type { Category } from '../../schemas/categories.ts'
import { readCategories } from './categories.ts'

export type EditDeps = Pick<Deps, 'db' | 'changes' | 'cached'>
type Placed = PlacedCategory<CategoryRecord>

/** The fields that staff edit besides the place. */
export const CATEGORY_FIELDS = {
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

const AUDITED = {
  ...CATEGORY_FIELDS,
  externalId: { column: 'external_id' },
  slug: { column: 'slug' },
  parentId: { column: 'parent_id' },
  categoryLockedByGbstore: { column: 'category_locked_by_gbstore' },
} as const satisfies { [field: string]: { column: keyof CategoryRow } }

/** Locks the tree until the transaction ends, and reads it. */
export async function lockTree({ db }: UnitOfWork): Promise<CategoryTree<CategoryRecord>> {
  await lockCategoryTree(db)
  return arrangeCategories(await listCategoryPlaces(db))
}

/** Locks the tree and finds a category in it. @throws AppError 404; 412 STALE */
export async function lockCategory(
  { cached }: Pick<EditDeps, 'cached'>,
  tx: UnitOfWork,
  { id, ifMatch }: Target,
): Promise<{ tree: CategoryTree<CategoryRecord>; place: Placed; row: CategoryRow }> {
  const tree = await lockTree(tx)
  const place = tree.byId.get(id)
  const row = await findRecord(tx.db, 'categories', id)
  if (place === undefined || row === undefined) throw notFound('category')
  if (isStale(ifMatch, row.version)) {
    throw stale(await readCategory({ cached }, tx, id))
  }
  return { tree, place, row }
}

/** The category with this transaction's changes. @throws AppError 404 */
export async function readCategory(
  { cached }: Pick<EditDeps, 'cached'>,
  tx: UnitOfWork,
  id: number,
): Promise<Category> {
  const [category] = await readCategories({ db: tx.db, cached }, [id])
  if (category === undefined) throw notFound('category')
  return category
}

/** The columns that name a parent. The supplier's own is overwritten: an unlocked category gets it with the next sync. */
export async function parentColumns(
  { db }: UnitOfWork,
  parent: Placed | null,
): Promise<Pick<CategoryRow, 'parent_id' | 'parent_external_id'>> {
  const row = parent && (await findRecord(db, 'categories', parent.row.id))
  return { parent_id: row?.id ?? null, parent_external_id: row?.external_id ?? null }
}

export function recordCategory(
  tx: UnitOfWork,
  actor: Actor,
  before: CategoryRow | null,
  after: CategoryRow | null,
): void {
  const entityId = after?.id ?? before?.id ?? 0
  tx.recordChange('category', [entityId])
  tx.audit({
    ...{ actor, entity: 'CATEGORY', entityId },
    before: before && auditedFields(AUDITED, before),
    after: after && auditedFields(AUDITED, after),
  })
}
