import { type Insertable, type Selectable, sql } from 'kysely'
import type { Db, Trx } from '../../database.ts'
import type { SettingsTable } from '../../tables/settings.ts'

export type SettingRow = Selectable<SettingsTable>

export function listSettings(db: Db): Promise<SettingRow[]> {
  return db.selectFrom('app_config').selectAll().orderBy('key').execute()
}

export function findSetting(db: Db, key: string): Promise<SettingRow | undefined> {
  return db.selectFrom('app_config').selectAll().where('key', '=', key).executeTakeFirst()
}

export function lockSetting(trx: Trx, key: string): Promise<SettingRow | undefined> {
  return trx.selectFrom('app_config').selectAll().where('key', '=', key).forUpdate().executeTakeFirst()
}

/** @returns undefined when the key is taken */
export function insertSetting(db: Db, row: Insertable<SettingsTable>): Promise<SettingRow | undefined> {
  return db
    .insertInto('app_config')
    .values(row)
    .onConflict((conflict) => conflict.column('key').doNothing())
    .returningAll()
    .executeTakeFirst()
}

/** Updates a row, or inserts one. Undefined fields keep their values, or get their defaults. */
export function putSetting(
  db: Db,
  key: string,
  fields: { value: string; description?: string; is_public?: boolean },
): Promise<SettingRow> {
  const change = { ...fields, version: sql<number>`app_config.version + 1`, updated_at: sql<Date>`now()` }
  return db
    .insertInto('app_config')
    .values({ key, ...fields })
    .onConflict((conflict) => conflict.column('key').doUpdateSet(change))
    .returningAll()
    .executeTakeFirstOrThrow()
}

export async function deleteSetting(db: Db, key: string): Promise<void> {
  await db.deleteFrom('app_config').where('key', '=', key).execute()
}
