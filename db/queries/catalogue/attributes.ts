import { type RawBuilder, sql } from 'kysely'
import type { AttributeSettings } from '../../../src/rules/catalogue/attributes.ts'
import type { Db, Trx } from '../../database.ts'

/** Lists the settings that differ from the default. */
export function listAttributeSettings(db: Db) {
  return db
    .selectFrom('attribute_settings')
    .select(['name', 'filterable', 'position', 'unit'])
    .where((eb) =>
      eb.or([eb('filterable', 'is not', null), eb('position', 'is not', null), eb('unit', 'is not', null)]),
    )
    .execute()
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
