import * as runs from '../../../db/queries/operations/job-runs.ts'
import type { Deps } from '../../deps.ts'

type RunDeps = Pick<Deps, 'db' | 'instance' | 'log' | 'metrics'>

/** A run of a job in progress, which its heartbeat keeps alive. */
export type JobRun = {
  id: number
  /** Records the end. Never rejects. @param error why it failed; null: it succeeded */
  end(error: string | null): Promise<void>
}

/** Begins a run unless the job runs, or ran for this due time, on any instance. */
export async function beginJobRun(
  { db, instance, log, metrics }: RunDeps,
  claim: Omit<runs.JobRunClaim, 'instance'>,
): Promise<JobRun | null> {
  const id = await runs.claimJobRun(db, { ...claim, instance })
  if (id === undefined) return null
  const logFailure = (err: unknown) => log.warn({ err, job: claim.job, jobRunId: id }, 'job run not recorded')
  const heartbeat = setInterval(() => void runs.renewJobRun(db, id).catch(logFailure), runs.HEARTBEAT_MS)
  const startedAt = performance.now()
  return {
    id,
    async end(error) {
      clearInterval(heartbeat)
      metrics.jobRuns.inc({ name: claim.job, result: error === null ? 'succeeded' : 'failed' })
      metrics.jobs.observe({ name: claim.job }, (performance.now() - startedAt) / 1000)
      await runs.finishJobRun(db, id, error).catch(logFailure)
    },
  }
}
