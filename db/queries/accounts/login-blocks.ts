import { sql } from 'kysely'
import type { LoginBlockKind } from '../../../src/rules/accounts/client-address.ts'
import type { Db, Trx } from '../../database.ts'

/**
 * Finds the counters of failed logins at their limit. Emails are stored as hashes, so that only those of accounts can be
 * named.
 * @param limits of each kind; 0: no limit
 */
export function findLoginBlocks(db: Db, limits: Record<LoginBlockKind, number>) {
  const kind = sql<LoginBlockKind>`upper(split_part(key, ':', 2))`
  return db
    .selectFrom('rate_limits')
    .leftJoin('users', (join) =>
      join.on(sql`encode(sha256(convert_to(users.email, 'UTF8')), 'hex')`, '=', sql`split_part(key, ':', 3)`),
    )
    .select([sql<string>`md5(key)`.as('id'), kind.as('kind'), 'users.email', 'count as failures', 'resets_at'])
    .select(sql<string | null>`substring(key from '^login:(?:address|pair:[^:]*):(.*)$')`.as('address'))
    .where('key', 'like', 'login:%')
    .where('resets_at', '>', sql<Date>`now()`)
    .where('count', '>=', sql<number>`nullif((${JSON.stringify(limits)}::jsonb ->> ${kind})::int, 0)`)
    .orderBy('resets_at', 'desc')
    .orderBy(sql`md5(key)`)
    .execute()
}

export async function deleteLoginBlock(trx: Trx, id: string): Promise<void> {
  await trx.deleteFrom('rate_limits').where('key', 'like', 'login:%').where(sql`md5(key)`, '=', id).execute()
}
