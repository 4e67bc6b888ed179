import { sql } from 'kysely'
import { type LoginBlockKind, loginCounter } from '../../../src/rules/accounts/client-address.ts'
import type { Db, Trx } from '../../database.ts'

export type LoginBlockRow = {
  id: string
  kind: LoginBlockKind
  email: string | null
  address: string | null
  failures: number
  resets_at: Date
}

/**
 * Finds the counters of failed logins at their limit. Emails are stored as hashes, so that only those of accounts can be
 * named.
 * @param limits of each kind; 0: no limit
 */
export async function findLoginBlocks(
  db: Db,
  limits: Record<LoginBlockKind, number>,
): Promise<LoginBlockRow[]> {
  const { rows } = await sql<LoginBlockRow>`
    with counters as (
      select key, count, resets_at, upper(split_part(key, ':', 2)) as kind,
        case when key like 'login:address:%' then null else split_part(key, ':', 3) end as email_hash,
        substring(key from '^login:(?:address|pair:[^:]*):(.*)$') as address
      from rate_limits where key like 'login:%' and resets_at > now()
    )
    select md5(key) as id, kind, users.email, address, count as failures, resets_at
    from counters
    join jsonb_each_text(${JSON.stringify(limits)}::jsonb) as "limit" (of_kind, at) on of_kind = kind
    left join users on encode(sha256(convert_to(users.email, 'UTF8')), 'hex') = email_hash
    where at::int > 0 and count >= at::int
    order by resets_at desc, id`.execute(db)
  return rows
}

/** Deletes the counters of an email's failed logins, from any address. @param emailHash in hexadecimal */
export async function deleteLoginCounters(trx: Trx, emailHash: string): Promise<void> {
  await trx
    .deleteFrom('rate_limits')
    .where((eb) =>
      eb.or([
        eb('key', '=', loginCounter.email(emailHash)),
        eb('key', 'like', `${loginCounter.pair(emailHash, '')}%`),
      ]),
    )
    .execute()
}

export function deleteLoginBlock(trx: Trx, id: string): Promise<{ count: number } | undefined> {
  return trx
    .deleteFrom('rate_limits')
    .where('key', 'like', 'login:%')
    .where(sql<string>`md5(key)`, '=', id)
    .returning('count')
    .executeTakeFirst()
}
