import { Cron } from 'croner'
import type { Deps } from '../src/deps.ts'
import type { SettingKey } from '../src/rules/settings/keys.ts'
import { createCoalescer } from '../src/runtime/concurrency/tasks.ts'
import { freshSetting } from '../src/services/settings/settings.ts'

export type Job = {
  name: string
  /** The setting that disables the job; read at each tick. */
  flag?: SettingKey
  run: (deps: Deps) => Promise<void>
} & (CronJob | RepeatedJob)

type CronJob = {
  /** Cron pattern with seconds, in UTC. */
  cron: string | ((config: Deps['config']) => string)
  pauseMs?: undefined
}

type RepeatedJob = {
  cron?: undefined
  /** Milliseconds between the end of a run and the next one; the first starts at once. */
  pauseMs: (config: Deps['config']) => number
}

/** `stop` prevents further runs but doesn't end the current one. */
export type Schedule = { name: string; nextRun(): Date | null; stop(): void }

/**
 * Schedules a job. A tick during a run is skipped, an error ends only its run, and stopping the tasks waits for the run;
 * croner does none of this by itself.
 */
export function schedule(job: Job, deps: Deps): Schedule {
  const { name, flag, run } = job
  const coalescer = createCoalescer<void>()

  async function runIfEnabled(): Promise<void> {
    try {
      if (flag === undefined || (await freshSetting(deps, flag)) !== 'false') await run(deps)
    } catch (error) {
      deps.log.error({ err: error, job: name }, 'job failed')
    }
  }

  const tick = async (): Promise<void> => {
    if (!deps.tasks.stopping) await deps.tasks.join(coalescer, runIfEnabled)
  }
  if (job.pauseMs) return repeat(name, job.pauseMs(deps.config), tick)
  const pattern = typeof job.cron === 'string' ? job.cron : job.cron(deps.config)
  const cron = new Cron(pattern, { timezone: 'UTC', name }, () => void tick())
  return { name, nextRun: () => cron.nextRun(), stop: () => cron.stop() }
}

/** Runs a job with a pause after each run, which a cron pattern can't express. */
function repeat(name: string, pauseMs: number, tick: () => Promise<void>): Schedule {
  let next: { timer: NodeJS.Timeout; at: Date } | undefined
  let stopped = false

  function wait(ms: number): void {
    if (stopped) return
    next = { timer: setTimeout(begin, ms), at: new Date(Date.now() + ms) }
  }
  async function begin(): Promise<void> {
    next = undefined
    await tick()
    wait(pauseMs)
  }

  wait(0)
  return {
    name,
    nextRun: () => next?.at ?? null,
    stop() {
      stopped = true
      clearTimeout(next?.timer)
    },
  }
}
