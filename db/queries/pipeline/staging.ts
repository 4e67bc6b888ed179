import { sql } from 'kysely'
import type { Db, Trx } from '../../database.ts'
import { onlyRow } from '../../prepared.ts'

/** Requires lockRun. */
export async function clearStaging(db: Trx): Promise<void> {
  await sql`truncate xml_staged_offers, xml_staged_categories`.execute(db)
}

/**
 * Stores offers; requires lockRun. A repeated id overwrites the earlier offer.
 * @param offers an array of FeedOffer as JSON in UTF-8, with distinct ids
 * @param position of the first one, among all offers of the run
 */
export async function stageOffers(
  db: Trx,
  runId: number,
  offers: Uint8Array,
  position: number,
): Promise<void> {
  await sql`
    insert into xml_staged_offers (run_id, offer_id, position, name, price, digests, category_id, page_url,
      pictures, params)
    select ${runId}::int, id, ${position}::int + row_number() over (), name, price, digests, "categoryId",
      "pageUrl", pictures, params
    from json_to_recordset(${bytesOf(offers)}::json) as i(
      id text, name text, price text, digests text, "categoryId" text, "pageUrl" text, pictures json, params json)
    on conflict (offer_id) do update set name = excluded.name, price = excluded.price,
      digests = excluded.digests, category_id = excluded.category_id, page_url = excluded.page_url,
      pictures = excluded.pictures, params = excluded.params`.execute(db)
}

/** As stageOffers, for an array of FeedCategory. */
export async function stageCategories(
  db: Trx,
  runId: number,
  categories: Uint8Array,
  position: number,
): Promise<void> {
  await sql`
    insert into xml_staged_categories (run_id, feed_category_id, name, parent_id, position)
    select ${runId}::int, id, name, "parentId", ${position}::int + row_number() over ()
    from json_to_recordset(${bytesOf(categories)}::json) as i(id text, name text, "parentId" text)
    on conflict (feed_category_id) do update
    set name = excluded.name, parent_id = excluded.parent_id`.execute(db)
}

/** pg sends a Buffer without encoding it again. */
function bytesOf({ buffer, byteOffset, byteLength }: Uint8Array): Buffer {
  return Buffer.from(buffer, byteOffset, byteLength)
}

/** `lastPosition`: the highest position of an offer. */
export type StagedCounts = { offers: number; categories: number; lastPosition: number }

export async function countStaged(db: Db, runId: number): Promise<StagedCounts> {
  const { rows } = await sql<StagedCounts>`
    select count(*) as offers, coalesce(max(position), 0) as "lastPosition",
      (select count(*) from xml_staged_categories where run_id = ${runId}) as categories
    from xml_staged_offers where run_id = ${runId}`.execute(db)
  return onlyRow(rows)
}

/** Without statistics the planner assumes an empty table. */
export async function analyzeStaged(db: Db): Promise<void> {
  await sql`analyze xml_staged_offers`.execute(db)
}
