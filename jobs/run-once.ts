import { Cron } from 'croner'
import type { FastifyBaseLogger } from 'fastify'

export type Job = {
  name: string
  /** Cron pattern with seconds, in UTC. */
  schedule: string
  /** Whether it may run now; read at each tick. */
  enabled: () => Promise<boolean>
  run: () => Promise<void>
}

export type ScheduledJob = {
  /** No further ticks; resolves when the run under way has ended. */
  stop(): Promise<void>
}

/**
 * Runs a job on its schedule. A tick that comes while the last run still works is left out, an error ends that run
 * only, and `stop` waits: croner sees to none of these by itself.
 */
export function schedule(job: Job, log: FastifyBaseLogger): ScheduledJob {
  let current: Promise<void> | null = null

  async function runIfEnabled(): Promise<void> {
    try {
      if (await job.enabled()) await job.run()
    } catch (error) {
      log.error({ err: error, job: job.name }, 'job failed')
    }
  }

  const cron = new Cron(job.schedule, { timezone: 'UTC', name: job.name }, () => {
    if (current) return
    current = runIfEnabled().finally(() => {
      current = null
    })
  })
  return {
    async stop() {
      cron.stop()
      await current
    },
  }
}
