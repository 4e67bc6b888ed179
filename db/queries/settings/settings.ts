import { type Insertable, type Selectable, sql, type Updateable } from 'kysely'
import type { Db, Trx } from '../../database.ts'
import type { ContentTables } from '../../tables/content.ts'

export type SettingRow = Selectable<ContentTables['app_config']>

/** By key. */
export function listSettings(db: Db): Promise<SettingRow[]> {
  return db.selectFrom('app_config').selectAll().orderBy('key').execute()
}

export function findSetting(db: Db, key: string): Promise<SettingRow | undefined> {
  return db.selectFrom('app_config').selectAll().where('key', '=', key).executeTakeFirst()
}

export function lockSetting(trx: Trx, key: string): Promise<SettingRow | undefined> {
  return trx.selectFrom('app_config').selectAll().where('key', '=', key).forUpdate().executeTakeFirst()
}

/** Locks these settings by key, to prevent deadlocks. Unknown keys are left out. */
export function lockSettings(trx: Trx, keys: string[]): Promise<SettingRow[]> {
  const query = trx.selectFrom('app_config').selectAll()
  return query.where('key', '=', sql<string>`any(${keys}::text[])`).orderBy('key').forUpdate().execute()
}

export function insertSetting(trx: Trx, values: Insertable<ContentTables['app_config']>): Promise<SettingRow> {
  return trx.insertInto('app_config').values(values).returningAll().executeTakeFirstOrThrow()
}

/** Undefined columns keep their values. */
export function updateSetting(
  trx: Trx,
  key: string,
  values: Updateable<ContentTables['app_config']>,
): Promise<SettingRow> {
  return trx
    .updateTable('app_config')
    .set({ ...values, version: sql`version + 1`, updated_at: sql`now()` })
    .where('key', '=', key)
    .returningAll()
    .executeTakeFirstOrThrow()
}

export async function deleteSetting(trx: Trx, key: string): Promise<void> {
  await trx.deleteFrom('app_config').where('key', '=', key).execute()
}
