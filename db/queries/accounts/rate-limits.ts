import { sql } from 'kysely'
import { type LoginBlockKind, loginCounter } from '../../../src/rules/accounts/client-address.ts'
import type { Db, Trx } from '../../database.ts'
import { prepared } from '../../prepared.ts'

export type Counter = {
  key: string
  count: number
  /** Milliseconds until the counter is reset. */
  msLeft: number
}

/**
 * Increments counters, resetting by the database's clock those that have expired, and those that end much later than one that
 * begins now: a wrong clock has set them. Sorted keys prevent deadlocks.
 * @param keys without duplicates
 */
export function addToCounters(db: Db, keys: string[], windowMs: number): Promise<Counter[]> {
  const query = sql<Counter>`
    insert into rate_limits as counter (key, count, resets_at)
    select key, 1, now() + ${windowMs}::float8 * interval '1 millisecond'
    from unnest(${keys}::text[]) key order by key
    on conflict (key) do update set
      count = case when counter.resets_at between now() and excluded.resets_at + interval '1 minute'
        then counter.count + 1 else 1 end,
      resets_at = case when counter.resets_at > now() then least(counter.resets_at, excluded.resets_at)
        else excluded.resets_at end
    returning key, count, ${msLeft('counter.resets_at')} as "msLeft"`
  return prepared(db, query)
}

/** Reads counters that exist and have not expired. */
export function readCounters(db: Db, keys: string[]): Promise<Counter[]> {
  const query = sql<Counter>`
    select key, count, ${msLeft('resets_at')} as "msLeft"
    from rate_limits where key = any(${keys}::text[]) and resets_at > now()`
  return prepared(db, query)
}

/** By the wall clock: a transaction that waited for the counter began before the one that set its time. */
function msLeft(column: string) {
  return sql<number>`greatest(ceil(extract(epoch from ${sql.ref(column)} - clock_timestamp()) * 1000), 0)::bigint`
}

/** Contract section 3. */
export const NETWORK_LIFETIME = sql`interval '30 days'`

/** Whether the user has logged in from this network in the last 30 days. */
export async function isKnownNetwork(db: Db, userId: number, network: string): Promise<boolean> {
  const { rows } = await sql`
    select from login_networks
    where user_id = ${userId} and network = ${network} and last_login_at > now() - ${NETWORK_LIFETIME}`.execute(db)
  return rows.length > 0
}

/** Records a login, at most once a day. */
export async function recordLogin(db: Db, userId: number, network: string): Promise<void> {
  await sql`
    insert into login_networks as recorded (user_id, network) select id, ${network} from users where id = ${userId}
    on conflict (user_id, network) do update set last_login_at = now()
      where recorded.last_login_at < now() - interval '1 day'`.execute(db)
}

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
export async function findLoginBlocks(db: Db, limits: Record<LoginBlockKind, number>): Promise<LoginBlockRow[]> {
  const kind = sql`upper(split_part(key, ':', 2))`
  const { rows } = await sql<LoginBlockRow>`
    select md5(key) as id, ${kind} as kind, users.email, count as failures, resets_at,
      substring(key from '^login:(?:address|pair:[^:]*):(.*)$') as address
    from rate_limits
    left join users on encode(sha256(convert_to(users.email, 'UTF8')), 'hex') = split_part(key, ':', 3)
    where key like 'login:%' and resets_at > now()
      and count >= nullif((${JSON.stringify(limits)}::jsonb ->> ${kind})::int, 0)
    order by resets_at desc, id`.execute(db)
  return rows
}

/** Deletes the counters of an email's failed logins, from any address. @param emailHash in hexadecimal */
export async function deleteLoginCounters(trx: Trx, emailHash: string): Promise<void> {
  const pairs = `${loginCounter.pair(emailHash, '')}%`
  await sql`delete from rate_limits where key = ${loginCounter.email(emailHash)} or key like ${pairs}`.execute(trx)
}

export async function deleteLoginBlock(trx: Trx, id: string): Promise<void> {
  await sql`delete from rate_limits where key like 'login:%' and md5(key) = ${id}`.execute(trx)
}
