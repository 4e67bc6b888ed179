import { sql } from 'kysely'
import type { AttributeSettings } from '../../../src/rules/catalogue/facets.ts'
import type { Db, Trx } from '../../database.ts'
import type { AttributeSettingsTable } from '../../tables/products.ts'

/** Those that decide something. */
export async function listAttributeSettings(db: Db): Promise<AttributeSettingsTable[]> {
  const { rows } = await sql<AttributeSettingsTable>`
    select name, filterable, position, unit from attribute_settings
    where num_nonnulls(filterable, position, unit) > 0`.execute(db)
  return rows
}

/** Locks the settings of an attribute, after inserting those of a new one. */
export async function lockAttributeSettings(trx: Trx, name: string): Promise<AttributeSettings> {
  await sql`insert into attribute_settings (name) values (${name}) on conflict do nothing`.execute(trx)
  return trx
    .selectFrom('attribute_settings')
    .select(['filterable', 'position', 'unit'])
    .where(isNamed(name))
    .forUpdate()
    .executeTakeFirstOrThrow()
}

export async function updateAttributeSettings(
  trx: Trx,
  name: string,
  settings: AttributeSettings,
): Promise<void> {
  await trx.updateTable('attribute_settings').set(settings).where(isNamed(name)).execute()
}

function isNamed(name: string) {
  return sql<boolean>`attribute_key(name) = attribute_key(${name})`
}
