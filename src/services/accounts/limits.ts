import { deleteExpiredCounters } from '../../../db/queries/accounts/limits.ts'
import type { Deps } from '../../deps.ts'

/** Forgets the counters that have run out; until then they only take room. */
export async function purgeRateLimits({ db, log }: Pick<Deps, 'db' | 'log'>): Promise<void> {
  const purged = await deleteExpiredCounters(db)
  if (purged > 0) log.debug({ purged }, 'expired rate limit counters deleted')
}
