import { sql } from 'kysely'
import type { Db } from '../../database.ts'

/** For whoever holds the pipeline's lock: what an earlier run has read is of no use any more. */
export async function clearStaging(db: Db): Promise<void> {
  await sql`truncate xml_staged_offers, xml_staged_categories`.execute(db)
}

/**
 * Of offers with the same id the later one counts.
 * @param offers a list of FeedOffer as JSON in UTF-8, each id once
 * @param position of the first, among all offers of the run
 */
export async function stageOffers(
  db: Db,
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

/** The same for a list of FeedCategory. */
export async function stageCategories(
  db: Db,
  runId: number,
  categories: Uint8Array,
  position: number,
): Promise<void> {
  await sql`
    insert into xml_staged_categories (run_id, feed_category_id, name, parent_id, position)
    select ${runId}::int, id, name, "parentId", ${position}::int + row_number() over ()
    from json_to_recordset(${bytesOf(categories)}::json) as i(id text, name text, "parentId" text)
    on conflict (feed_category_id) do update set name = excluded.name, parent_id = excluded.parent_id`.execute(
    db,
  )
}

/** pg sends bytes as they are, and text only after writing it anew. */
function bytesOf({ buffer, byteOffset, byteLength }: Uint8Array): Buffer {
  return Buffer.from(buffer, byteOffset, byteLength)
}

/** How much of a run's feed is there to be applied, and the largest position of an offer. */
export type Staged = { offers: number; categories: number; last: number }

export async function measureStaged(db: Db, runId: number): Promise<Staged> {
  const { rows } = await sql<Staged>`
    select count(*) as offers, coalesce(max(position), 0) as last,
      (select count(*) from xml_staged_categories where run_id = ${runId}) as categories
    from xml_staged_offers where run_id = ${runId}`.execute(db)
  return rows[0] ?? { offers: 0, categories: 0, last: 0 }
}

/** Without statistics the planner takes the table for empty. */
export async function analyzeStaged(db: Db): Promise<void> {
  await sql`analyze xml_staged_offers`.execute(db)
}
