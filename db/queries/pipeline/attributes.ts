import { sql } from 'kysely'
import type { Db, Trx } from '../../database.ts'
import type { AttributeRuleRow } from '../../tables/pipeline.ts'
import { replacedAttributes } from '../catalogue/attribute-replacement.ts'

/** Staged offers by position: `from` inclusive, `to` exclusive. */
export type Slice = { runId: number; from: number; to: number }

/** `matched`: the number of offers with a product; `changed`: ids of products with other attributes than before. */
export type AppliedAttributes = { matched: number; changed: number[] }

/**
 * Replaces the FEED attributes of a slice's products by the offers' params, renamed or dropped by the rules. Duplicates
 * are dropped, and unchanged rows are not written.
 */
export async function applyAttributes(trx: Trx, { runId, from, to }: Slice): Promise<AppliedAttributes> {
  const { rows } = await sql<{ matched: number; changed: number[] }>`
    with slice as materialized (
      select p.id as product_id, s.params
      from xml_staged_offers s join products p on p.external_id = s.offer_id
      where s.run_id = ${runId} and s.position >= ${from} and s.position < ${to}
    ), named as (
      select slice.product_id, coalesce(rule.name, param.name) as name, param.value, param.place
      from slice
      cross join lateral rows from (
        json_to_recordset(slice.params) as (name text, value text)) with ordinality param(name, value, place)
      left join attribute_rules rule
        on lower(rule.alias collate "und-x-icu") = lower(param.name collate "und-x-icu")
      where rule.ignore is not true
    ), incoming as materialized (
      select product_id, name, value,
        (row_number() over (partition by product_id order by min(place)) - 1)::int as position
      from named group by product_id, name, value
    ), ${replacedAttributes('FEED', sql`select product_id from slice`)}
    select (select count(*) from slice) as matched,
      (select coalesce(array_agg(product_id), '{}') from replaced) as changed`.execute(trx)
  return rows[0] ?? { matched: 0, changed: [] }
}

/** Sorted by alias. */
export function listAttributeRules(db: Db): Promise<AttributeRuleRow[]> {
  return db
    .selectFrom('attribute_rules')
    .selectAll()
    .orderBy(sql`lower(alias collate "und-x-icu") collate "und-x-icu"`)
    .orderBy('id')
    .execute()
}
