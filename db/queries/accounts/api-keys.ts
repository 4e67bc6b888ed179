import { hash } from 'node:crypto'
import { sql } from 'kysely'
import type { Db } from '../../database.ts'
import type { ApiKeyRow } from '../../tables/users.ts'

/** Finds a key that has not expired, and records its use at most once a minute. */
export async function useApiKey(db: Db, key: string): Promise<ApiKeyRow | undefined> {
  const keyHash = hash('sha256', key, 'buffer')
  const { rows } = await sql<ApiKeyRow & { is_due: boolean }>`
    select *, coalesce(last_used_at < now() - interval '1 minute', true) as is_due
    from api_keys where key_hash = ${keyHash} and coalesce(expires_at > now(), true)`.execute(db)
  const [row] = rows
  if (row?.is_due)
    await db.updateTable('api_keys').set({ last_used_at: sql`now()` }).where('id', '=', row.id).execute()
  return row
}
