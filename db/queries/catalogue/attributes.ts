import { type RawBuilder, sql } from 'kysely'
import type { AttributeSettings } from '../../../src/rules/catalogue/attributes.ts'
import type { Db, Trx } from '../../database.ts'
import type { CatalogueTables } from '../../tables/catalogue.ts'

/** Lists the settings that differ from the default. */
export async function listAttributeSettings(db: Db): Promise<CatalogueTables['attribute_settings'][]> {
  const { rows } = await sql<CatalogueTables['attribute_settings']>`
    select name, filterable, position, unit from attribute_settings
    where num_nonnulls(filterable, position, unit) > 0`.execute(db)
  return rows
}

/** Locks the settings of an attribute; inserts them first if there are none. */
export async function lockAttributeSettings(trx: Trx, name: string): Promise<AttributeSettings> {
  await sql`insert into attribute_settings (name) values (${name}) on conflict do nothing`.execute(trx)
  return trx
    .selectFrom('attribute_settings')
    .select(['filterable', 'position', 'unit'])
    .where(isNamed(name))
    .forUpdate()
    .executeTakeFirstOrThrow()
}

export async function updateAttributeSettings(trx: Trx, name: string, settings: AttributeSettings): Promise<void> {
  await trx.updateTable('attribute_settings').set(settings).where(isNamed(name)).execute()
}

function isNamed(name: string) {
  return sql<boolean>`attribute_key(name) = attribute_key(${name})`
}

/** Compares names as the unique index of the rules' aliases does. */
export const nameKey = (name: RawBuilder<unknown>) => sql`lower(${name} collate "und-x-icu")`

/**
 * A select of attributes with the rules applied to their names: `name`, null where a rule drops the attribute, and
 * `supplier_name`, the given name where a rule applies.
 * @param given a relation with the columns and a `name`
 */
export function namedByRules(columns: RawBuilder<unknown>, given: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`
    select ${columns},
      case when rule.id is null then given.name when not rule.ignore then rule.name end as name,
      case when rule.id is not null then given.name end as supplier_name
    from ${given} given
    left join attribute_rules rule on ${nameKey(sql`rule.alias`)} = ${nameKey(sql`given.name`)}`
}

/**
 * Common table expressions that replace the attributes of one source, named by the rules, and write only what differs.
 * They read `supplied (product_id, position, name, value)` and end with `replaced (product_id)`: the products that changed.
 * @param products the ids of all products that `supplied` is complete for
 */
export function replacedAttributes(
  source: CatalogueTables['product_attributes']['source'],
  products: RawBuilder<unknown>,
): RawBuilder<unknown> {
  return sql`incoming as materialized (
      ${namedByRules(sql`product_id, position, value`, sql`supplied`)}
    ), present as materialized (
      select a.product_id, a.position, a.name, a.supplier_name, a.value
      from product_attributes a where a.source = ${source} and a.product_id in (${products})
    ), removed as (
      delete from product_attributes a using present p
      where a.product_id = p.product_id and a.source = ${source} and a.position = p.position
        and not exists (
          select from incoming i where i.product_id = p.product_id and i.position = p.position)
      returning a.product_id
    ), written as (
      insert into product_attributes (product_id, source, position, name, supplier_name, value)
      select i.product_id, ${source}, i.position, i.name, i.supplier_name, i.value
      from incoming i left join present p using (product_id, position)
      where (p.name, p.supplier_name, p.value) is distinct from (i.name, i.supplier_name, i.value)
      on conflict (product_id, source, position) do update
      set name = excluded.name, supplier_name = excluded.supplier_name, value = excluded.value
      returning product_id
    ), replaced as (
      select product_id from removed union select product_id from written
    )`
}
