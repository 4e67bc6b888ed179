import { type Selectable, sql } from 'kysely'
import type { Db } from '../../database.ts'
import type { SettingsTable } from '../../tables/settings.ts'

/** Sets the value of a row, or inserts one. */
export function putSetting(db: Db, key: string, value: string): Promise<Selectable<SettingsTable>> {
  const change = { value, version: sql<number>`app_config.version + 1`, updated_at: sql<Date>`now()` }
  return db
    .insertInto('app_config')
    .values({ key, value })
    .onConflict((conflict) => conflict.column('key').doUpdateSet(change))
    .returningAll()
    .executeTakeFirstOrThrow()
}
