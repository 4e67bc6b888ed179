import { type Insertable, type Selectable, sql, type Updateable } from 'kysely'
import type { Db, Trx } from '../../database.ts'
import type { PipelineTables } from '../../tables/pipeline.ts'
import { attributeKey } from '../catalogue/attributes.ts'

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
