import { sql } from 'kysely'
import type { Db } from '../../database.ts'

export const CACHE_CHANNEL = 'shop_caches'

/** Tells every instance, at commit, that what it holds of a topic is stale. */
export async function notifyCaches(db: Db, topic: string): Promise<void> {
  await sql`select pg_notify(${CACHE_CHANNEL}, ${topic})`.execute(db)
}
