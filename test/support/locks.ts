import { sql } from 'kysely'
import { expect } from 'vitest'
import type { Db, Trx } from '../../db/database.ts'

/** Until exactly so many connections to this database wait for a lock that another one holds. */
export async function untilWaiting(db: Db, howMany = 1): Promise<void> {
  const query = sql<{ waiting: number }>`
    select count(*) as waiting from pg_stat_activity
    where datname = current_database() and wait_event_type = 'Lock'`
  await expect.poll(async () => (await query.execute(db)).rows[0]?.waiting, { interval: 20 }).toBe(howMany)
}

/** Runs `work` while a transaction of its own keeps what `lock` locks; then lets go of it. */
export function whileLocked<T>(
  db: Db,
  lock: (trx: Trx) => Promise<unknown>,
  work: () => Promise<T>,
): Promise<T> {
  return db.transaction().execute(async (trx) => {
    await lock(trx)
    return work()
  })
}
