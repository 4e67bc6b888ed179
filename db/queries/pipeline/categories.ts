import { sql } from 'kysely'
import type { Placement, Placing } from '../../../src/rules/pipeline/placement.ts'
import type { Db, Trx } from '../../database.ts'

/** Replaces the categories of the supplier feed by those of the run. Missing ones stay as long as they are mapped. */
export async function replaceFeedCategories(trx: Trx, runId: number): Promise<void> {
  await trx.updateTable('xml_feed_categories').set({ in_feed: false, offers: 0 }).execute()
  await trx
    .insertInto('xml_feed_categories')
    .columns(['feed_category_id', 'name', 'parent_id', 'position', 'offers', 'in_feed'])
    .expression((eb) =>
      eb
        .selectFrom('xml_staged_categories as s')
        .leftJoin('xml_staged_offers as o', (join) =>
          join.onRef('o.run_id', '=', 's.run_id').onRef('o.category_id', '=', 's.feed_category_id'),
        )
        .select(['s.feed_category_id', 's.name', 's.parent_id', 's.position'])
        .select(({ fn, lit }) => [fn.count('o.offer_id').as('offers'), lit(true).as('in_feed')])
        .where('s.run_id', '=', runId)
        .groupBy('s.feed_category_id'),
    )
    .onConflict((conflict) =>
      conflict.column('feed_category_id').doUpdateSet(({ ref }) => ({
        name: ref('excluded.name'),
        parent_id: ref('excluded.parent_id'),
        position: ref('excluded.position'),
        offers: ref('excluded.offers'),
        in_feed: true,
      })),
    )
    .execute()
  await deleteRemovedCategories(trx)
}

/** Deletes categories that are neither in the supplier feed any more nor mapped. */
export async function deleteRemovedCategories(trx: Trx): Promise<void> {
  await trx
    .deleteFrom('xml_feed_categories as c')
    .where('c.in_feed', '=', false)
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('category_mappings as m')
            .select('m.category_id')
            .whereRef('m.feed_category_id', '=', 'c.feed_category_id'),
        ),
      ),
    )
    .execute()
}

/** A category of the supplier feed, and the one of the shop that it is mapped to. */
export type FeedCategoryRow = Awaited<ReturnType<typeof listFeedCategories>>[number]

/** In the order of the supplier feed; those no longer in it come last. */
export function listFeedCategories(db: Db) {
  return withMappings(db).orderBy('f.in_feed', 'desc').orderBy('f.position').orderBy('f.feed_category_id').execute()
}

export function findFeedCategory(db: Db, id: string): Promise<FeedCategoryRow | undefined> {
  return withMappings(db).where('f.feed_category_id', '=', id).executeTakeFirst()
}

function withMappings(db: Db) {
  return db
    .selectFrom('xml_feed_categories as f')
    .leftJoin('category_mappings as m', 'm.feed_category_id', 'f.feed_category_id')
    .leftJoin('categories as c', 'c.id', 'm.category_id')
    .select(['f.feed_category_id as id', 'f.name', 'f.parent_id', 'f.offers', 'f.in_feed'])
    .select(['m.category_id', 'c.name as category_name'])
}

export async function readCategoryTrees(trx: Trx): Promise<Placing> {
  const feed = await trx
    .selectFrom('xml_feed_categories')
    .select(['feed_category_id as id', 'name', 'parent_id as parentId'])
    .execute()
  const mappings = await trx
    .selectFrom('category_mappings')
    .select(['feed_category_id', 'category_id'])
    .orderBy('category_id')
    .execute()
  const categories = await trx.selectFrom('categories').select(['id', 'parent_id as parentId']).execute()
  return {
    feed,
    mappings: new Map(mappings.map((row) => [row.feed_category_id, row.category_id])),
    categories,
  }
}

/** Sets names and parents of mapped categories and locks them. @returns the ids of changed categories */
export async function applyPlacements(trx: Trx, placements: Placement[]): Promise<number[]> {
  const rows = await trx
    .updateTable('categories as c')
    .from(
      sql<Placement>`json_to_recordset(${JSON.stringify(placements)}::json)`.as<'i'>(
        sql`i(id int, name text, "parentId" int)`,
      ),
    )
    .leftJoin('categories as parent', 'parent.id', 'i.parentId')
    .set(({ ref, eb }) => ({
      name: ref('i.name'),
      parent_id: ref('i.parentId'),
      parent_external_id: ref('parent.external_id'),
      category_locked_by_gbstore: true,
      version: eb('c.version', '+', 1),
      updated_at: sql`now()`,
    }))
    .whereRef('c.id', '=', 'i.id')
    .where((eb) =>
      eb.or([
        eb('c.name', '<>', eb.ref('i.name')),
        eb('c.parent_id', 'is distinct from', eb.ref('i.parentId')),
        eb('c.parent_external_id', 'is distinct from', eb.ref('parent.external_id')),
        eb('c.category_locked_by_gbstore', '=', false),
      ]),
    )
    .returning('c.id')
    .execute()
  return rows.map(({ id }) => id)
}

export async function putMapping(trx: Trx, feedCategoryId: string, categoryId: number): Promise<void> {
  await trx
    .insertInto('category_mappings')
    .values(({ selectFrom, fn, lit }) => ({
      feed_category_id: feedCategoryId,
      category_id: categoryId,
      was_locked: fn.coalesce(
        selectFrom('categories').select('category_locked_by_gbstore').where('id', '=', categoryId),
        lit(false),
      ),
    }))
    .onConflict((conflict) => conflict.column('feed_category_id').doNothing())
    .execute()
}

/** Unless the category was locked before it was mapped, the supplier's next full load sets its name and parent. */
export async function deleteMapping(trx: Trx, feedCategoryId: string): Promise<void> {
  await trx
    .with('mapping', (db) =>
      db
        .deleteFrom('category_mappings')
        .where('feed_category_id', '=', feedCategoryId)
        .returning(['category_id', 'was_locked']),
    )
    .updateTable('categories as c')
    .from('mapping as m')
    .set(({ ref, eb }) => ({ category_locked_by_gbstore: ref('m.was_locked'), version: eb('c.version', '+', 1) }))
    .whereRef('c.id', '=', 'm.category_id')
    .whereRef('c.category_locked_by_gbstore', '<>', 'm.was_locked')
    .execute()
}
