import { sql } from 'kysely'
import type { Db, Trx } from '../../database.ts'
import { onlyRow } from '../../prepared.ts'
import type { AttributeRuleRow } from '../../tables/pipeline.ts'
import { namedByRules, nameKey, replacedAttributes } from '../catalogue/attributes.ts'

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
    ), supplied as materialized (
      select slice.product_id, param.name, param.value,
        (row_number() over (partition by slice.product_id order by min(param.place)) - 1)::int as position
      from slice
      cross join lateral rows from (
        json_to_recordset(slice.params) as (name text, value text)) with ordinality param(name, value, place)
      group by slice.product_id, param.name, param.value
    ), ${replacedAttributes('FEED', sql`select product_id from slice`)}
    select (select count(*) from slice) as matched,
      (select coalesce(array_agg(product_id), '{}') from replaced) as changed`.execute(trx)
  return onlyRow(rows)
}

/** Until the transaction ends, no rule changes: it would not see the attributes that are written meanwhile. */
export async function lockAttributeRules(trx: Trx): Promise<void> {
  await sql`lock table attribute_rules in share mode`.execute(trx)
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

/** Sorted by alias. */
export function listAttributeRules(db: Db): Promise<AttributeRuleRow[]> {
  return db
    .selectFrom('attribute_rules')
    .selectAll()
    .orderBy(sql`${nameKey(sql`alias`)} collate "und-x-icu"`)
    .orderBy('id')
    .execute()
}
