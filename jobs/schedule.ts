import { Cron } from 'croner'
import type { Deps, Job } from '../src/deps.ts'
import { runDueJob } from '../src/services/operations/jobs.ts'

/** `stop` prevents further runs but doesn't end the current one. */
export type Schedule = { stop(): void }

/** Runs a job on its schedule. What croner doesn't do is up to runDueJob: it neither rejects nor runs a job twice. */
export function schedule(job: Job, deps: Deps): Schedule {
  const tick = async (dueAt: Date | null): Promise<void> => {
    if (!deps.tasks.stopping) await runDueJob(deps, job, dueAt)
  }
  if ('pauseMs' in job.schedule) return repeat(job.schedule.pauseMs, () => tick(null))
  let dueAt: Date | null = null
  const cron = new Cron(job.schedule.cron, { timezone: 'UTC', name: job.name }, () => {
    void tick(dueAt)
    dueAt = cron.nextRun()
  })
  dueAt = cron.nextRun()
  return cron
}

/** Runs a job at once and with a pause after each run, which a cron pattern can't express. */
function repeat(pauseMs: number, tick: () => Promise<void>): Schedule {
  let timer: NodeJS.Timeout | undefined
  let stopped = false
  async function begin(): Promise<void> {
    await tick()
    if (!stopped) timer = setTimeout(begin, pauseMs)
  }
  timer = setTimeout(begin, 0)
  return {
    stop() {
      stopped = true
      clearTimeout(timer)
    },
  }
}
