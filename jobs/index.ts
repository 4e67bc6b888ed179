import type { Deps } from '../src/deps.ts'
import { mailPurgeJob } from './mail-purge.ts'
import { mailsJob } from './mails.ts'
import { orderIdempotencyJob } from './order-idempotency.ts'
import { rateLimitsJob } from './rate-limits.ts'
import { schedule } from './run-once.ts'
import { supplierSyncJob } from './supplier-sync.ts'

/** Starts every job of this process; `stop` resolves when none works any more. */
export function startJobs(deps: Deps): { stop(): Promise<void> } {
  const jobs = [
    supplierSyncJob(deps),
    rateLimitsJob(deps),
    orderIdempotencyJob(deps),
    mailsJob(deps),
    mailPurgeJob(deps),
  ].map((job) => schedule(job, deps.log))
  return {
    async stop() {
      await Promise.all(jobs.map((job) => job.stop()))
    },
  }
}
