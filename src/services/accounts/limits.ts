import { deleteExpiredCounters } from '../../../db/queries/accounts/limits.ts'
import { deleteForgottenNetworks } from '../../../db/queries/accounts/login-networks.ts'
import type { Deps } from '../../deps.ts'

/** Forgets the counters that have run out, and where nobody logs in from any more; they only take room. */
export async function purgeRateLimits({ db, log }: Pick<Deps, 'db' | 'log'>): Promise<void> {
  const counters = await deleteExpiredCounters(db)
  const networks = await deleteForgottenNetworks(db)
  if (counters + networks > 0) log.debug({ counters, networks }, 'expired limits and networks deleted')
}
