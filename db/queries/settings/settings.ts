import { type Insertable, type Selectable, sql } from 'kysely'
import type { Db, Trx } from '../../database.ts'
import type { SettingsTable } from '../../tables/settings.ts'

export type SettingRow = Selectable<SettingsTable>

const CHANGED = { version: sql<number>`app_config.version + 1`, updated_at: sql<Date>`now()` }

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

/** Sets the value of a row, or inserts one. */
export function putSetting(db: Db, key: string, value: string): Promise<SettingRow> {
  return db
    .insertInto('app_config')
    .values({ key, value, description: '', is_public: false })
    .onConflict((conflict) => conflict.column('key').doUpdateSet({ value, ...CHANGED }))
    .returningAll()
    .executeTakeFirstOrThrow()
}

/** Updates a locked row. Undefined fields keep their values. */
export function updateSetting(
  db: Db,
  key: string,
  fields: { value: string; description?: string; is_public?: boolean },
): Promise<SettingRow> {
  return db
    .updateTable('app_config')
    .set({ ...fields, ...CHANGED })
    .where('key', '=', key)
    .returningAll()
    .executeTakeFirstOrThrow()
}

export async function deleteSetting(db: Db, key: string): Promise<void> {
  await db.deleteFrom('app_config').where('key', '=', key).execute()
}
