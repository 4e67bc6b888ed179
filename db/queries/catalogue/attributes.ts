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

type Replacement = {
  source: CatalogueTables['product_attributes']['source']
  /** Selects the ids of the products whose attributes of this source are replaced. */
  products: RawBuilder<unknown>
  /** Selects all that these products shall have: `product_id`, `position`, and `name` and `value` as the supplier sends them. */
  supplied: RawBuilder<unknown>
}

/**
 * Common table expressions that replace attributes, named by the rules. Only rows that differ are written; the last one,
 * `replaced (product_id)`, has the products of these.
 */
export function replacedAttributes({ source, products, supplied }: Replacement): RawBuilder<unknown> {
  return sql`supplied as materialized (${supplied}
    ), wanted as materialized (
      ${namedByRules(sql`product_id, position, value`, sql`supplied`)}
    ), present as materialized (
      select product_id, position, name, supplier_name, value
      from product_attributes where source = ${source} and product_id in (${products})
    ), deleted as (
      delete from product_attributes a using present p
      where a.product_id = p.product_id and a.source = ${source} and a.position = p.position
        and not exists (select from wanted w where w.product_id = p.product_id and w.position = p.position)
      returning a.product_id
    ), written as (
      insert into product_attributes (product_id, source, position, name, supplier_name, value)
      select w.product_id, ${source}, w.position, w.name, w.supplier_name, w.value
      from wanted w left join present p using (product_id, position)
      where (p.name, p.supplier_name, p.value) is distinct from (w.name, w.supplier_name, w.value)
      on conflict (product_id, source, position) do update
      set name = excluded.name, supplier_name = excluded.supplier_name, value = excluded.value
      returning product_id
    ), replaced as (
      select product_id from deleted union select product_id from written
    )`
}
