import { sql } from 'kysely'
import { expect } from 'vitest'
import type { Db, Trx } from '../../db/database.ts'
import { lockWork, type Work } from '../../db/locks.ts'

/** Waits until exactly this many connections to the database are blocked by a lock. */
export async function untilWaiting(db: Db, howMany = 1): Promise<void> {
  const query = sql<{ waiting: number }>`
    select count(*) as waiting from pg_stat_activity
    where datname = current_database() and wait_event_type = 'Lock'`
  await expect.poll(async () => (await query.execute(db)).rows[0]?.waiting, { interval: 20 }).toBe(howMany)
}

/** Runs `work` while another transaction holds a lock, or those that a function acquires. */
export function whileLocked<T>(
  db: Db,
  lock: Work | ((trx: Trx) => Promise<unknown>),
  work: () => Promise<T>,
): Promise<T> {
  return db.transaction().execute(async (trx) => {
    await (typeof lock === 'string' ? lockWork(trx, lock) : lock(trx))
    return work()
  })
}

/** Breaks the connection that holds a lock of tryLock, as a lost route to the database does. */
export async function breakLock(db: Db, key: number): Promise<void> {
  // Only the lock of a session: transactions hold others with the same key space.
  const holders = sql`
    select pg_terminate_backend(pid) from pg_locks
    where locktype = 'advisory' and granted and classid = 0 and objid = ${key} and objsubid = 1
      and database = (select oid from pg_database where datname = current_database())`
  await expect.poll(async () => (await holders.execute(db)).rows, { interval: 20 }).toEqual([])
}
