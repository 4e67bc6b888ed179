import { databaseFault, violates } from '../../../db/errors.ts'
import { lockCategoryTree } from '../../../db/queries/catalogue/category-edits.ts'
import * as places from '../../../db/queries/pipeline/categories.ts'
import type { UserRow } from '../../../db/tables/users.ts'
import type { Deps } from '../../deps.ts'
import { conflict, invalid, notFound } from '../../errors.ts'
import { placeMapped } from '../../rules/pipeline/placement.ts'
import { type UnitOfWork, write } from '../../runtime/write.ts'
import type { FeedCategory } from '../../schemas/feed-categories.ts'

type WriteDeps = Pick<Deps, 'db' | 'changes'>

/** The feed's categories as its last good run left them, each with what it is mapped to. */
export async function listFeedCategories({ db }: Pick<Deps, 'db'>): Promise<FeedCategory[]> {
  return (await places.listFeedCategories(db)).map(toFeedCategory)
}

/**
 * Maps a category of the feed to one of ours, which at once gets its name and place and is locked (contract section 9).
 * @throws AppError 404 for an unknown category of the feed; 400 for one of ours; 409 CATEGORY_MAPPED when ours is taken
 */
export function mapCategory(
  deps: WriteDeps,
  actor: UserRow,
  feedCategoryId: string,
  categoryId: number,
): Promise<FeedCategory> {
  return write(deps, async (tx) => {
    await lockCategoryTree(tx.db)
    const before = await findFeedCategory(tx, feedCategoryId)
    if (before.category_id !== null && before.category_id !== categoryId) {
      await release(tx, before.category_id)
    }
    await referring(() => places.putMapping(tx.db, feedCategoryId, categoryId))
    await placeAll(tx)
    const after = await findFeedCategory(tx, feedCategoryId)
    sayMapped(tx, actor, before, after)
    return toFeedCategory(after)
  })
}

/** Gives the category back to the supplier, whose next full list names and places it. @throws AppError 404 */
export function unmapCategory(deps: WriteDeps, actor: UserRow, feedCategoryId: string): Promise<void> {
  return write(deps, async (tx) => {
    await lockCategoryTree(tx.db)
    const before = await findFeedCategory(tx, feedCategoryId)
    if (before.category_id === null) throw notFound('mapping')
    await places.deleteMapping(tx.db, feedCategoryId)
    await release(tx, before.category_id)
    await places.forgetGoneCategory(tx.db, feedCategoryId)
    await placeAll(tx)
    sayMapped(tx, actor, before, { ...before, category_id: null })
  })
}

/** Gives all mapped categories the names and places that the feed has for them. */
export async function placeAll(
  tx: UnitOfWork,
): Promise<{ mapped: number; changed: number; refused: number }> {
  await lockCategoryTree(tx.db)
  const { feed, mappings, categories } = await places.findPlaces(tx.db)
  const ours = new Map(mappings.map((mapping) => [mapping.feed_category_id, mapping.category_id]))
  const { placements, refused } = placeMapped({ feed, mappings: ours, categories })
  const changed = await places.applyPlacements(tx.db, placements)
  tx.recordChange('category', changed)
  return { mapped: placements.length, changed: changed.length, refused: refused.length }
}

async function release(tx: UnitOfWork, categoryId: number): Promise<void> {
  await places.unlockCategory(tx.db, categoryId)
  tx.recordChange('category', [categoryId])
}

async function findFeedCategory({ db }: UnitOfWork, id: string): Promise<places.FeedCategoryRow> {
  const row = await places.findFeedCategory(db, id)
  if (row === undefined) throw notFound('category of the feed')
  return row
}

async function referring(work: () => Promise<void>): Promise<void> {
  try {
    await work()
  } catch (error) {
    if (violates(error, 'category_mappings_category_key')) {
      throw conflict('CATEGORY_MAPPED', 'Another category of the feed is mapped to this one')
    }
    if (databaseFault(error) !== 'DANGLING') throw error
    throw invalid({ path: 'categoryId', message: 'refers to a record that is not there' })
  }
}

function sayMapped(
  tx: UnitOfWork,
  actor: UserRow,
  before: places.FeedCategoryRow,
  after: places.FeedCategoryRow,
): void {
  const fields = ({ category_id: categoryId }: places.FeedCategoryRow) =>
    categoryId === null ? null : { categoryId }
  const [was, is] = [fields(before), fields(after)]
  if (was === null && is === null) return
  tx.audit({ actor, entity: 'CATEGORY_MAPPING', entityId: before.feed_category_id, before: was, after: is })
}

function toFeedCategory(row: places.FeedCategoryRow): FeedCategory {
  return {
    id: row.feed_category_id,
    name: row.name,
    parentId: row.parent_id,
    offers: row.offers,
    inFeed: row.in_feed,
    category: row.category_id === null ? null : { id: row.category_id, name: row.category_name ?? '' },
  }
}
