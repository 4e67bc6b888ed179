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
