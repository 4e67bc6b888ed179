import { sql } from 'kysely'
import { loginCounter } from '../../../src/rules/accounts/client-address.ts'
import type { Db, Trx } from '../../database.ts'
import { type Params, prepare } from '../../prepared.ts'
import { fromNow } from '../expressions.ts'

/** By the wall clock: a transaction that waited for the counter began before the one that set its time. */
const msLeft = sql<number>`
  greatest(ceil(extract(epoch from rate_limits.resets_at - clock_timestamp()) * 1000), 0)::bigint`

/** `msLeft`: milliseconds until the counter is reset. */
export type Counter = Awaited<ReturnType<typeof readCounters>>[number]

const increment = prepare((db, { keys, windowMs }: Params<{ keys: string[]; windowMs: number }>) =>
  db
    .insertInto('rate_limits')
    .columns(['key', 'count', 'resets_at'])
    .expression(({ selectFrom }) =>
      selectFrom(sql<{ key: string }>`unnest(${keys}::text[])`.as<'sent'>(sql`sent (key)`))
        .select(['key', sql.lit(1).as('count'), fromNow(windowMs).as('resets_at')])
        .orderBy('key'),
    )
    .onConflict((conflict) =>
      conflict.column('key').doUpdateSet({
        count: sql`case
          when rate_limits.resets_at between now() and excluded.resets_at + interval '1 minute'
          then rate_limits.count + 1 else 1 end`,
        resets_at: sql`case
          when rate_limits.resets_at > now() then least(rate_limits.resets_at, excluded.resets_at)
          else excluded.resets_at end`,
      }),
    )
    .returning(['key', 'count', msLeft.as('msLeft')]),
)

/**
 * Increments counters, resetting by the database's clock those that have expired, and those that end much later than one that
 * begins now: a wrong clock has set them. Sorted keys prevent deadlocks.
 * @param keys without duplicates
 */
export function addToCounters(db: Db, keys: string[], windowMs: number): Promise<Counter[]> {
  return increment(db, { keys, windowMs })
}

/** Decrements a counter. */
export async function takeFromCounter(db: Db, key: string): Promise<void> {
  await db
    .updateTable('rate_limits')
    .set(({ eb }) => ({ count: eb('count', '-', 1) }))
    .where('key', '=', key)
    .where('count', '>', 0)
    .execute()
}

const selectCounters = prepare((db, { keys }: Params<{ keys: string[] }>) =>
  db
    .selectFrom('rate_limits')
    .select(['key', 'count', msLeft.as('msLeft')])
    .where('key', '=', sql<string>`any(${keys}::text[])`)
    .where('resets_at', '>', sql<Date>`now()`),
)

/** Reads counters that exist and have not expired. */
export function readCounters(db: Db, keys: string[]) {
  return selectCounters(db, { keys })
}

/** Staff get a mail about a login from a network that the account has not used for this long. */
export const NETWORK_LIFETIME = sql`interval '90 days'`

/** What an account has logged in from: whether at all, and whether from this network in the last 90 days. */
export async function readNetworks(trx: Trx, userId: number, network: string) {
  const isSeen = sql<boolean>`bool_or(network = ${network} and last_login_at > now() - ${NETWORK_LIFETIME})`
  return trx
    .selectFrom('login_networks')
    .select(({ fn }) => [fn.countAll<number>().as('count'), isSeen.as('isSeen')])
    .where('user_id', '=', userId)
    .executeTakeFirstOrThrow()
}

/** Whether the user has logged in from this network in the last 30 days. */
export async function isKnownNetwork(db: Db, userId: number, network: string): Promise<boolean> {
  const known = await db
    .selectFrom('login_networks')
    .select('user_id')
    .where('user_id', '=', userId)
    .where('network', '=', network)
    .where('last_login_at', '>', sql<Date>`now() - interval '30 days'`)
    .executeTakeFirst()
  return known !== undefined
}

/** Records a login, at most once a day. */
export async function recordLogin(db: Db, userId: number, network: string): Promise<void> {
  await db
    .insertInto('login_networks')
    .columns(['user_id', 'network'])
    .expression(({ selectFrom }) =>
      selectFrom('users')
        .select(['id', sql`${network}::text`.as('network')])
        .where('id', '=', userId),
    )
    .onConflict((conflict) =>
      conflict
        .columns(['user_id', 'network'])
        .doUpdateSet({ last_login_at: sql`now()` })
        .where('login_networks.last_login_at', '<', sql<Date>`now() - interval '1 day'`),
    )
    .execute()
}

/** Deletes the counters of an email's failed logins, from any address. @param emailHash in hexadecimal */
export async function deleteLoginCounters(trx: Trx, emailHash: string): Promise<void> {
  const pairs = `${loginCounter.pair(emailHash, '')}%`
  await trx
    .deleteFrom('rate_limits')
    .where((eb) => eb.or([eb('key', '=', loginCounter.email(emailHash)), eb('key', 'like', pairs)]))
    .execute()
}
