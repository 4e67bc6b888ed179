import type { Deps } from '../src/deps.ts'
import { purgeRateLimits } from '../src/services/accounts/limits.ts'
import type { Job } from './run-once.ts'

/** Contract sections 3 and 6: stale counters are purged hourly. Several instances at once do no harm. */
export function rateLimitsJob(deps: Deps): Job {
  return {
    name: 'purge-rate-limits',
    schedule: '0 7 * * * *',
    enabled: async () => true,
    run: () => purgeRateLimits(deps),
  }
}
