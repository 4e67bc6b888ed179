import type { Deps } from '../src/deps.ts'
import { purgeIdempotencyKeys } from '../src/services/orders/place.ts'
import type { Job } from './run-once.ts'

/** Contract section 5: keys of placed orders count for a day. Several instances at once do no harm. */
export function orderIdempotencyJob(deps: Deps): Job {
  return {
    name: 'purge-idempotency-keys',
    schedule: '0 17 * * * *',
    enabled: async () => true,
    run: () => purgeIdempotencyKeys(deps),
  }
}
