import { hash } from 'node:crypto'
import { type Insertable, sql } from 'kysely'
import type { Db, Trx } from '../../database.ts'
import type { ApiKeyRow, UserTables } from '../../tables/users.ts'

export function listApiKeys(db: Db): Promise<ApiKeyRow[]> {
  return db.selectFrom('api_keys').selectAll().orderBy('id').execute()
}

/**
 * Finds a key that has not expired and whose creator still has an account.
 * @returns also the creator's role, and whether its last use was recorded more than a minute ago
 */
export function findApiKey(db: Db, key: string) {
  return db
    .selectFrom('api_keys')
    .innerJoin('users as creator', 'creator.id', 'api_keys.created_by_id')
    .select(['api_keys.id', 'api_keys.name', 'api_keys.role', 'api_keys.expires_at', 'creator.role as creator_role'])
    .select(sql<boolean>`coalesce(last_used_at < now() - interval '1 minute', true)`.as('is_due'))
    .where('key_hash', '=', hash('sha256', key, 'buffer'))
    .where(sql<boolean>`coalesce(expires_at > now(), true)`)
    .executeTakeFirst()
}

export async function recordKeyUse(db: Db, id: number): Promise<void> {
  await db.updateTable('api_keys').set({ last_used_at: sql`now()` }).where('id', '=', id).execute()
}

export function insertApiKey(trx: Trx, values: Insertable<UserTables['api_keys']>): Promise<ApiKeyRow> {
  return trx.insertInto('api_keys').values(values).returningAll().executeTakeFirstOrThrow()
}

export function deleteApiKey(trx: Trx, id: number): Promise<ApiKeyRow | undefined> {
  return trx.deleteFrom('api_keys').where('id', '=', id).returningAll().executeTakeFirst()
}
