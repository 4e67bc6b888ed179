import { sql } from 'kysely'
import type { Placement, Placing } from '../../../src/rules/pipeline/placement.ts'
import type { Db, Trx } from '../../database.ts'
import type { PipelineTables } from '../../tables/pipeline.ts'

/** Replaces the feed categories by those of the run. Missing ones stay as long as they are mapped. */
export async function replaceFeedCategories(trx: Trx, runId: number): Promise<void> {
  await trx.updateTable('xml_feed_categories').set({ in_feed: false, offers: 0 }).execute()
  await sql`
    insert into xml_feed_categories (feed_category_id, name, parent_id, position, offers, in_feed)
    select s.feed_category_id, s.name, s.parent_id, s.position, count(o.offer_id), true
    from xml_staged_categories s
    left join xml_staged_offers o on o.run_id = s.run_id and o.category_id = s.feed_category_id
    where s.run_id = ${runId}
    group by s.feed_category_id
    on conflict (feed_category_id) do update
    set name = excluded.name, parent_id = excluded.parent_id, position = excluded.position,
      offers = excluded.offers, in_feed = true`.execute(trx)
  await deleteRemovedCategories(trx)
}

/** Deletes feed categories that are neither in the feed nor mapped. */
export async function deleteRemovedCategories(trx: Trx): Promise<void> {
  await sql`
    delete from xml_feed_categories c where not in_feed and not exists (
      select from category_mappings m where m.feed_category_id = c.feed_category_id)`.execute(trx)
}

/** A feed category, and the one of the shop that it is mapped to. */
export type FeedCategoryRow = Pick<
  PipelineTables['xml_feed_categories'],
  'name' | 'parent_id' | 'offers' | 'in_feed'
> & {
  id: string
  category_id: number | null
  category_name: string | null
}

const withMappings = sql`
  select f.feed_category_id as id, f.name, f.parent_id, f.offers, f.in_feed, m.category_id, c.name as category_name
  from xml_feed_categories f
  left join category_mappings m on m.feed_category_id = f.feed_category_id
  left join categories c on c.id = m.category_id`

/** In feed order; those no longer in the feed come last. */
export async function listFeedCategories(db: Db): Promise<FeedCategoryRow[]> {
  const { rows } = await sql<FeedCategoryRow>`
    ${withMappings} order by f.in_feed desc, f.position, f.feed_category_id`.execute(db)
  return rows
}

export async function findFeedCategory(db: Db, id: string): Promise<FeedCategoryRow | undefined> {
  const { rows } = await sql<FeedCategoryRow>`${withMappings} where f.feed_category_id = ${id}`.execute(db)
  return rows[0]
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
  const { rows } = await sql<{ id: number }>`
    update categories c
    set name = i.name, parent_id = i."parentId", parent_external_id = parent.external_id,
      category_locked_by_gbstore = true, version = c.version + 1, updated_at = now()
    from json_to_recordset(${JSON.stringify(placements)}::json) as i(id int, name text, "parentId" int)
    left join categories parent on parent.id = i."parentId"
    where c.id = i.id
      and (c.name, c.parent_id, c.parent_external_id, c.category_locked_by_gbstore)
        is distinct from (i.name, i."parentId", parent.external_id, true)
    returning c.id`.execute(trx)
  return rows.map(({ id }) => id)
}

export async function putMapping(trx: Trx, feedCategoryId: string, categoryId: number): Promise<void> {
  await sql`
    insert into category_mappings (feed_category_id, category_id, was_locked)
    values (${feedCategoryId}, ${categoryId},
      coalesce((select category_locked_by_gbstore from categories where id = ${categoryId}), false))
    on conflict (feed_category_id) do nothing`.execute(trx)
}

/** Unless the category was locked before it was mapped, the supplier's next full load sets its name and parent. */
export async function deleteMapping(trx: Trx, feedCategoryId: string): Promise<void> {
  await sql`
    with mapping as (
      delete from category_mappings where feed_category_id = ${feedCategoryId} returning category_id, was_locked
    )
    update categories c set category_locked_by_gbstore = m.was_locked, version = c.version + 1
    from mapping m where c.id = m.category_id and c.category_locked_by_gbstore <> m.was_locked`.execute(trx)
}
