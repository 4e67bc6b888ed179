import { type Insertable, type Selectable, sql } from 'kysely'
import type { Db, Trx } from '../../database.ts'
import type { AppConfigTable } from '../../tables/settings.ts'

export type AppConfigRow = Selectable<AppConfigTable>

export function listConfig(db: Db): Promise<AppConfigRow[]> {
  return db.selectFrom('app_config').selectAll().orderBy('key').execute()
}

export function findConfig(db: Db, key: string): Promise<AppConfigRow | undefined> {
  return db.selectFrom('app_config').selectAll().where('key', '=', key).executeTakeFirst()
}

export function lockConfig(trx: Trx, key: string): Promise<AppConfigRow | undefined> {
  return trx.selectFrom('app_config').selectAll().where('key', '=', key).forUpdate().executeTakeFirst()
}

/** Undefined when the key is taken. */
export function insertConfig(db: Db, row: Insertable<AppConfigTable>): Promise<AppConfigRow | undefined> {
  return db
    .insertInto('app_config')
    .values(row)
    .onConflict((conflict) => conflict.column('key').doNothing())
    .returningAll()
    .executeTakeFirst()
}

/** Fields that are undefined stay as they are. Undefined when there is no such key. */
export function updateConfig(
  db: Db,
  key: string,
  fields: { value: string; description?: string; is_public?: boolean },
): Promise<AppConfigRow | undefined> {
  return db
    .updateTable('app_config')
    .set({ ...fields, updated_at: sql<Date>`now()` })
    .where('key', '=', key)
    .returningAll()
    .executeTakeFirst()
}

export async function deleteConfig(db: Db, key: string): Promise<void> {
  await db.deleteFrom('app_config').where('key', '=', key).execute()
}
