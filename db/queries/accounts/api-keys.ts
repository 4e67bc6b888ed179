import { createHash } from 'node:crypto'
import { type Insertable, sql } from 'kysely'
import type { Db, Trx } from '../../database.ts'
import type { ApiKeyRow, ApiKeysTable } from '../../tables/api-keys.ts'

/** Finds a key that has not expired, and records its use at most once a minute. */
export async function useApiKey(db: Db, key: string): Promise<ApiKeyRow | undefined> {
  const { rows } = await sql<ApiKeyRow & { is_due: boolean }>`
    select *, coalesce(last_used_at < now() - interval '1 minute', true) as is_due
    from api_keys where key_hash = ${hash(key)} and coalesce(expires_at > now(), true)`.execute(db)
  const [row] = rows
  if (row?.is_due)
    await db.updateTable('api_keys').set({ last_used_at: sql`now()` }).where('id', '=', row.id).execute()
  return row
}

/** Lists the keys, expired ones included, by id. */
export function listApiKeys(db: Db): Promise<ApiKeyRow[]> {
  return db.selectFrom('api_keys').selectAll().orderBy('id').execute()
}

export function insertApiKey(
  trx: Trx,
  { key, ...values }: Omit<Insertable<ApiKeysTable>, 'key_hash'> & { key: string },
): Promise<ApiKeyRow> {
  return trx
    .insertInto('api_keys')
    .values({ ...values, key_hash: hash(key) })
    .returningAll()
    .executeTakeFirstOrThrow()
}

/** Not salted: nobody can guess 32 random bytes, and the hash is what finds the key. */
function hash(key: string): Buffer {
  return createHash('sha256').update(key).digest()
}
