import { type Insertable, type Selectable, sql, type Updateable } from 'kysely'
import type { Db, Trx } from '../../database.ts'
import type { PipelineTables } from '../../tables/pipeline.ts'
import { attributeKey } from '../catalogue/attributes.ts'
import { APPLIES, RULED_NAME, SUPPLIER_NAME } from '../catalogue/product-attributes.ts'

type AttributeRules = PipelineTables['attribute_rules']
export type AttributeRuleRow = Selectable<AttributeRules>

export function listAttributeRules(db: Db): Promise<AttributeRuleRow[]> {
  return db.selectFrom('attribute_rules').selectAll().orderBy(attributeKey(sql`alias`)).execute()
}

export function lockAttributeRule(trx: Trx, id: number): Promise<AttributeRuleRow | undefined> {
  return trx.selectFrom('attribute_rules').selectAll().where('id', '=', id).forUpdate().executeTakeFirst()
}

export function insertAttributeRule(trx: Trx, values: Insertable<AttributeRules>): Promise<AttributeRuleRow> {
  return trx.insertInto('attribute_rules').values(values).returningAll().executeTakeFirstOrThrow()
}

/** Undefined columns keep their values. */
export function updateAttributeRule(
  trx: Trx,
  id: number,
  values: Updateable<AttributeRules>,
): Promise<AttributeRuleRow> {
  return trx
    .updateTable('attribute_rules')
    .set({ ...values, version: sql`version + 1`, updated_at: sql`now()` })
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirstOrThrow()
}

export async function deleteAttributeRule(trx: Trx, id: number): Promise<void> {
  await trx.deleteFrom('attribute_rules').where('id', '=', id).execute()
}

/**
 * Renames the stored attributes with these names after a change of their rules. The caller holds the lock of product
 * rows.
 * @returns the products that changed
 */
export async function renameAttributes(trx: Trx, supplierNames: string[]): Promise<number[]> {
  const changedKeys = trx
    .selectFrom(sql`unnest(${supplierNames}::text[])`.as<'changed'>(sql`changed(name)`))
    .select(attributeKey(sql`changed.name`).as('key'))
  // Comparing takes longer than finding the names of which many products have the same.
  const changedNames = trx
    .selectFrom((eb) =>
      eb
        .selectFrom('product_attributes')
        .select(({ fn }) => fn.coalesce('supplier_name', 'name').as('name'))
        .where('source', '<>', 'MANUAL')
        .distinct()
        .as('stored'),
    )
    .select('stored.name')
    .where(attributeKey(sql`stored.name`), 'in', changedKeys)
  const rows = await trx
    .with('named', (db) =>
      db
        .selectFrom((eb) =>
          eb
            .selectFrom('product_attributes')
            .select(({ fn }) => ['product_id', 'source', 'position', fn.coalesce('supplier_name', 'name').as('name')])
            .where('source', '<>', 'MANUAL')
            .as('given'),
        )
        .leftJoin('attribute_rules as rule', (join) => join.on(APPLIES))
        .select(['given.product_id', 'given.source', 'given.position'])
        .select([RULED_NAME.as('name'), SUPPLIER_NAME.as('supplier_name')])
        .where('given.name', 'in', changedNames),
    )
    .with('renamed', (db) =>
      db
        .updateTable('product_attributes as a')
        .from('named as n')
        .set(({ ref }) => ({ name: ref('n.name'), supplier_name: ref('n.supplier_name') }))
        .whereRef('a.product_id', '=', 'n.product_id')
        .whereRef('a.source', '=', 'n.source')
        .whereRef('a.position', '=', 'n.position')
        .where(({ eb, refTuple }) =>
          eb(refTuple('a.name', 'a.supplier_name'), 'is distinct from', refTuple('n.name', 'n.supplier_name')),
        )
        .returning('a.product_id'),
    )
    .selectFrom('renamed')
    .select('product_id')
    .distinct()
    .execute()
  return rows.map(({ product_id }) => product_id)
}

/** Until the transaction ends, no rule changes: it would not see the attributes that are written meanwhile. */
export async function lockAttributeRules(trx: Trx): Promise<void> {
  // The builder locks rows only, not tables.
  await sql`lock table attribute_rules in share mode`.execute(trx)
}
