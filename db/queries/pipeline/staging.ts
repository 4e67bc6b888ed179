import { sql } from 'kysely'
import type { Db, Trx } from '../../database.ts'
import { onlyRow } from '../../prepared.ts'
import { namedByRules, nameKey, replacedAttributes } from '../catalogue/attributes.ts'

/** Requires lockRun. */
export async function clearStaging(trx: Trx): Promise<void> {
  await sql`truncate xml_staged_offers, xml_staged_categories`.execute(trx)
}

/**
 * Stores offers; requires lockRun. A repeated id overwrites the earlier offer.
 * @param offers an array of FeedOffer as JSON, with distinct ids
 */
export async function stageOffers(trx: Trx, runId: number, offers: string): Promise<void> {
  await sql`
    insert into xml_staged_offers (run_id, offer_id, position, name, price, digests, category_id, page_url,
      pictures, params)
    select ${runId}::int, id, position, name, price, digest, "categoryId", "pageUrl", pictures, params
    from json_to_recordset(${offers}::json) as i(id text, position int, name text, price text, digest text,
      "categoryId" text, "pageUrl" text, pictures json, params json)
    on conflict (offer_id) do update set name = excluded.name, price = excluded.price,
      digests = excluded.digests, category_id = excluded.category_id, page_url = excluded.page_url,
      pictures = excluded.pictures, params = excluded.params`.execute(trx)
}

/** As stageOffers, for an array of FeedCategory. */
export async function stageCategories(trx: Trx, runId: number, categories: string): Promise<void> {
  await sql`
    insert into xml_staged_categories (run_id, feed_category_id, name, parent_id, position)
    select ${runId}::int, id, name, "parentId", position
    from json_to_recordset(${categories}::json) as i(id text, position int, name text, "parentId" text)
    on conflict (feed_category_id) do update
    set name = excluded.name, parent_id = excluded.parent_id`.execute(trx)
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

/** Staged offers by position: `from` inclusive, `to` exclusive. */
export type Slice = { runId: number; from: number; to: number }

/** `matched`: the number of offers with a product; `changed`: ids of products with other attributes than before. */
export type AppliedAttributes = { matched: number; changed: number[] }

/**
 * Replaces the FEED attributes of a slice's products by the offers' params, renamed or dropped by the rules. Duplicates
 * are dropped, and unchanged rows are not written.
 */
export async function applyAttributes(trx: Trx, { runId, from, to }: Slice): Promise<AppliedAttributes> {
  const { rows } = await sql<AppliedAttributes>`
    with slice as materialized (
      select p.id as product_id, s.params
      from xml_staged_offers s join products p on p.external_id = s.offer_id
      where s.run_id = ${runId} and s.position >= ${from} and s.position < ${to}
    ), ${replacedAttributes({
      source: 'FEED',
      products: sql`select product_id from slice`,
      supplied: sql`
        select slice.product_id, param.name, param.value,
          (row_number() over (partition by slice.product_id order by min(param.place)) - 1)::int as position
        from slice
        cross join lateral rows from (
          json_to_recordset(slice.params) as (name text, value text)) with ordinality param(name, value, place)
        group by slice.product_id, param.name, param.value`,
    })}
    select (select count(*) from slice) as matched,
      (select coalesce(array_agg(product_id), '{}') from replaced) as changed`.execute(trx)
  return onlyRow(rows)
}

/**
 * Renames the stored attributes with these names after a change of their rules. The caller holds the lock of product
 * rows.
 * @returns the products that changed
 */
export async function renameAttributes(trx: Trx, supplierNames: string[]): Promise<number[]> {
  const { rows } = await sql<{ product_id: number }>`
    with named as (
      ${namedByRules(
        sql`product_id, source, position`,
        sql`(select product_id, source, position, coalesce(supplier_name, name) as name
          from product_attributes where source <> 'MANUAL')`,
      )}
      where ${nameKey(sql`given.name`)} in (
        select ${nameKey(sql`changed`)} from unnest(${supplierNames}::text[]) changed)
    ), renamed as (
      update product_attributes a set name = n.name, supplier_name = n.supplier_name
      from named n
      where a.product_id = n.product_id and a.source = n.source and a.position = n.position
        and (a.name, a.supplier_name) is distinct from (n.name, n.supplier_name)
      returning a.product_id
    )
    select distinct product_id from renamed`.execute(trx)
  return rows.map(({ product_id }) => product_id)
}

/** Until the transaction ends, no rule changes: it would not see the attributes that are written meanwhile. */
export async function lockAttributeRules(trx: Trx): Promise<void> {
  await sql`lock table attribute_rules in share mode`.execute(trx)
}

/** Stores page and picture URLs of a slice of offers. @returns the number of products with new ones */
export async function saveFeedData(trx: Trx, { runId, from, to }: Slice): Promise<number> {
  const { rows } = await sql<{ saved: number }>`
    with incoming as materialized (
      select p.id as product_id, s.page_url, array(select json_array_elements_text(s.pictures)) as pictures
      from xml_staged_offers s join products p on p.external_id = s.offer_id
      where s.run_id = ${runId} and s.position >= ${from} and s.position < ${to}
    ), saved as (
      insert into product_feed_data as d (product_id, page_url, pictures)
      select i.product_id, i.page_url, i.pictures from incoming i
      where not exists (
        select from product_feed_data same
        where same.product_id = i.product_id
          and (same.page_url, same.pictures) is not distinct from (i.page_url, i.pictures))
      on conflict (product_id) do update set page_url = excluded.page_url, pictures = excluded.pictures
      returning 1
    )
    select count(*) as saved from saved`.execute(trx)
  return onlyRow(rows).saved
}
