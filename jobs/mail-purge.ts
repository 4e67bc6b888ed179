import type { Deps } from '../src/deps.ts'
import { purgeMails } from '../src/services/mail/outbox.ts'
import type { Job } from './run-once.ts'

/** The outbox keeps what is done for 30 days. Several instances at once do no harm. */
export function mailPurgeJob(deps: Deps): Job {
  return {
    name: 'purge-mails',
    schedule: '0 23 3 * * *',
    enabled: async () => true,
    run: () => purgeMails(deps),
  }
}
