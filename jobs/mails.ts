import type { Deps } from '../src/deps.ts'
import { deliverDueMails } from '../src/services/mail/outbox.ts'
import type { Job } from './run-once.ts'

/** Contract section 7, "Mail". Several instances at once share the work. */
export function mailsJob(deps: Deps): Job {
  return {
    name: 'deliver-mails',
    schedule: '*/10 * * * * *',
    enabled: async () => true,
    run: () => deliverDueMails(deps),
  }
}
