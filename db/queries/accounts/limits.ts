import { sql } from 'kysely'
import type { Db } from '../../database.ts'
import { prepared } from '../../prepared.ts'

export type Counter = {
  key: string
  count: number
  /** Until the counter starts anew. */
  msLeft: number
}

/**
 * Adds one to each counter; one that has run out starts anew. The database's clock counts, so that instances agree.
 * @param keys each once; they are locked in one order, so that callers with the same keys never wait in a circle
 */
export async function addToCounters(db: Db, keys: string[], windowMs: number): Promise<Counter[]> {
  return prepared(
    db,
    sql<Counter>`
    insert into rate_limits as held (key, count, resets_at)
    select key, 1, now() + ${windowMs}::float8 * interval '1 millisecond'
    from unnest(${keys}::text[]) key order by key
    on conflict (key) do update set
      count = case when held.resets_at > now() then held.count + 1 else 1 end,
      resets_at = case when held.resets_at > now() then held.resets_at else excluded.resets_at end
    returning key, count, ${msLeft('held.resets_at')} as "msLeft"`,
  )
}

/** The counters that have not run out; one that was never counted is absent. */
export async function readCounters(db: Db, keys: string[]): Promise<Counter[]> {
  return prepared(
    db,
    sql<Counter>`
      select key, count, ${msLeft('resets_at')} as "msLeft"
      from rate_limits where key = any(${keys}::text[]) and resets_at > now()`,
  )
}

/** Deletes what has run out, but nothing that is being counted at this moment. @returns how many counters */
export async function deleteExpiredCounters(db: Db): Promise<number> {
  const { numAffectedRows } = await sql`
    delete from rate_limits where key in (
      select key from rate_limits where resets_at <= now() for update skip locked)`.execute(db)
  return Number(numAffectedRows)
}

function msLeft(column: string) {
  return sql<number>`greatest(ceil(extract(epoch from ${sql.ref(column)} - now()) * 1000), 0)::bigint`
}
