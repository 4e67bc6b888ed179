import type { Trx } from '../../db/database.ts'
import { notifyCaches } from '../../db/queries/events/notifications.ts'
import type { Deps } from '../deps.ts'
import type { CacheTopic } from './caches.ts'

/**
 * Runs `work` in a transaction whose commit makes the named caches stale on every instance (contract section 11: a
 * change made through the API is visible everywhere at once).
 */
export async function writeTransaction<T>(
  deps: Pick<Deps, 'db' | 'caches'>,
  topics: CacheTopic[],
  work: (trx: Trx) => Promise<T>,
): Promise<T> {
  const result = await deps.db.transaction().execute(async (trx) => {
    const worked = await work(trx)
    for (const topic of topics) await notifyCaches(trx, topic)
    return worked
  })
  for (const topic of topics) deps.caches.clear(topic)
  return result
}
