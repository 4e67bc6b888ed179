import { isDeepStrictEqual } from 'node:util'
import { violates } from '../../../db/errors.ts'
import { lockWork } from '../../../db/locks.ts'
import { findCategories } from '../../../db/queries/catalogue/categories.ts'
import * as queries from '../../../db/queries/pipeline/categories.ts'
import type { Deps } from '../../deps.ts'
import { conflict, found, invalid, missingRecord, notFound } from '../../errors.ts'
import type { Actor } from '../../rules/accounts/roles.ts'
import { placeMapped } from '../../rules/pipeline/placement.ts'
import { type UnitOfWork, write } from '../../runtime/write.ts'
import type { FeedCategory } from '../../schemas/pipeline.ts'
import { auditedCategory } from '../catalogue/category-editing.ts'

/** Lists the feed categories of the last successful run with their mappings. */
export async function listFeedCategories({ db }: Deps): Promise<FeedCategory[]> {
  return (await queries.listFeedCategories(db)).map(toFeedCategory)
}

/**
 * Maps a feed category to a category of the shop, which is renamed, moved and locked at once (docs/pipeline.md).
 * @throws AppError 404 for an unknown feed category; 400 for an unknown category; 409 CATEGORY_MAPPED
 */
export function mapCategory(
  deps: Deps,
  actor: Actor,
  feedCategoryId: string,
  categoryId: number,
): Promise<FeedCategory> {
  return write(deps, async (tx) => {
    await changeMapping(tx, actor, feedCategoryId, { categoryId })
    return toFeedCategory(await findFeedCategory(tx, feedCategoryId))
  })
}

/**
 * Deletes a mapping. Unless staff had locked the category before, the supplier's next full load names and places it.
 * @throws AppError 404
 */
export function unmapCategory(deps: Deps, actor: Actor, feedCategoryId: string): Promise<void> {
  return write(deps, (tx) => changeMapping(tx, actor, feedCategoryId, null))
}

async function changeMapping(
  tx: UnitOfWork,
  actor: Actor,
  entityId: string,
  after: { categoryId: number } | null,
): Promise<void> {
  await lockWork(tx.db, 'categoryTree')
  const { category_id } = await findFeedCategory(tx, entityId)
  const before = category_id === null ? null : { categoryId: category_id }
  if (before === null && after === null) throw notFound('mapping')
  const ids = [before, after].flatMap((mapping) => mapping?.categoryId ?? [])
  const categories = await findCategories(tx.db, ids)
  if (before !== null && before.categoryId !== after?.categoryId) await queries.deleteMapping(tx.db, entityId)
  if (after !== null) await queries.putMapping(tx.db, entityId, after.categoryId).catch(explain)
  await queries.deleteRemovedCategories(tx.db)
  await updateMappedCategories(tx)
  tx.audit({ actor, entity: 'CATEGORY_MAPPING', entityId, before, after })
  const changed = new Map((await findCategories(tx.db, ids)).map((row) => [row.id, row]))
  for (const row of categories) {
    const before = auditedCategory(row)
    const after = auditedCategory(found(changed.get(row.id), 'category'))
    if (isDeepStrictEqual(before, after)) continue
    tx.recordChange('category', [row.id])
    tx.audit({ actor, entity: 'CATEGORY', entityId: row.id, before, after })
  }
}

function explain(error: unknown): never {
  if (violates(error, 'category_mappings_category_fkey')) throw invalid(missingRecord('categoryId'))
  if (!violates(error, 'category_mappings_category_key')) throw error
  throw conflict('CATEGORY_MAPPED', 'Another feed category is mapped to this category')
}

/** Applies the supplier feed's names and parents to all mapped categories. */
export async function updateMappedCategories(
  tx: UnitOfWork,
): Promise<{ mapped: number; changed: number; refused: number }> {
  await lockWork(tx.db, 'categoryTree')
  const { placements, refused } = placeMapped(await queries.readCategoryTrees(tx.db))
  const changed = await queries.applyPlacements(tx.db, placements)
  tx.recordChange('category', changed)
  return { mapped: placements.length, changed: changed.length, refused }
}

async function findFeedCategory({ db }: UnitOfWork, id: string): Promise<queries.FeedCategoryRow> {
  return found(await queries.findFeedCategory(db, id), 'feed category')
}

function toFeedCategory(row: queries.FeedCategoryRow): FeedCategory {
  return {
    id: row.id,
    name: row.name,
    parentId: row.parent_id,
    offers: row.offers,
    inFeed: row.in_feed,
    category: row.category_id === null ? null : { id: row.category_id, name: row.category_name ?? '' },
  }
}
