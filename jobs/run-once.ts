import { Cron } from 'croner'
import type { Deps } from '../src/deps.ts'
import type { SettingKey } from '../src/rules/settings/keys.ts'
import { createLane } from '../src/runtime/tasks.ts'
import { freshSetting } from '../src/services/settings/settings.ts'

export type Job = {
  name: string
  /** Cron pattern with seconds, in UTC. */
  cron: string | ((config: Deps['config']) => string)
  /** The setting that switches the job off; read at each tick. */
  flag?: SettingKey
  run: (deps: Deps) => Promise<void>
}

/**
 * Runs a job on its schedule. A tick that comes while the last run still works is left out, an error ends that run
 * only, and a stop of the tasks waits: croner sees to none of these by itself.
 */
export function schedule({ name, cron, flag, run }: Job, deps: Deps): Cron {
  const lane = createLane<void>()

  async function runIfEnabled(): Promise<void> {
    try {
      if (flag === undefined || (await freshSetting(deps, flag)) !== 'false') await run(deps)
    } catch (error) {
      deps.log.error({ err: error, job: name }, 'job failed')
    }
  }

  const pattern = typeof cron === 'string' ? cron : cron(deps.config)
  return new Cron(pattern, { timezone: 'UTC', name }, () => {
    if (!deps.tasks.stopping) void deps.tasks.join(lane, runIfEnabled)
  })
}
