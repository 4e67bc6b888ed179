import type { Deps } from '../src/deps.ts'
import { rateLimitsJob } from './rate-limits.ts'
import { schedule } from './run-once.ts'
import { supplierSyncJob } from './supplier-sync.ts'

/** Starts every job of this process; `stop` resolves when none works any more. */
export function startJobs(deps: Deps): { stop(): Promise<void> } {
  const jobs = [supplierSyncJob(deps), rateLimitsJob(deps)].map((job) => schedule(job, deps.log))
  return {
    async stop() {
      await Promise.all(jobs.map((job) => job.stop()))
    },
  }
}
