import { type RawBuilder, sql } from 'kysely'
import type { AttributeSettings } from '../../../src/rules/catalogue/attributes.ts'
import type { Db, Trx } from '../../database.ts'

/** Settings, with the name of the attribute and the number of edits. */
export type AttributeSettingsRow = Awaited<ReturnType<typeof listAttributeSettings>>[number]

/** Lists the settings of all attributes that staff have edited, even if they are the default again. */
export function listAttributeSettings(db: Db) {
  return db.selectFrom('attribute_settings').selectAll().execute()
}

/** Locks the settings of an attribute; inserts them first if there are none. */
export async function lockAttributeSettings(trx: Trx, name: string) {
  await trx
    .insertInto('attribute_settings')
    .values({ name })
    .onConflict((conflict) => conflict.doNothing())
    .execute()
  return trx
    .selectFrom('attribute_settings')
    .select(['filterable', 'position', 'unit', 'version'])
    .where(isNamed(name))
    .forUpdate()
    .executeTakeFirstOrThrow()
}

/** @returns the new version */
export async function updateAttributeSettings(trx: Trx, name: string, settings: AttributeSettings): Promise<number> {
  const { version } = await trx
    .updateTable('attribute_settings')
    .set({ ...settings, version: sql`version + 1` })
    .where(isNamed(name))
    .returning('version')
    .executeTakeFirstOrThrow()
  return version
}

function isNamed(name: string) {
  return sql<boolean>`${attributeKey(sql`name`)} = ${attributeKey(sql`${name}`)}`
}

/** By which names and values are compared: `attributeKey` of the rules. */
export const attributeKey = (text: RawBuilder<unknown>) => sql`attribute_key(${text})`
