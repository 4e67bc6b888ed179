import { type Static, Type } from '@sinclair/typebox'
import * as t from './common.ts'
import { RUN } from './runs.ts'

const JobName = t.FreeText(50, 'Name of the job', 'supplier-sync')

export const JobRun = t.NamedObject('JobRun', 'A run of a background job', {
  ...RUN,
  instance: t.Text('Host and process id of the instance', 'shop-1:17'),
})
export type JobRun = Static<typeof JobRun>

export const Job = t.NamedObject('Job', 'A background job, as all instances see it', {
  name: JobName,
  description: t.Text('What the job does', "Copy the supplier's catalogue"),
  schedule: t.Text('Cron pattern with seconds, in UTC, or the pause after each run', '0 */5 * * * *'),
  enabled: Type.Boolean({ description: 'Whether the schedule is on; a manual run needs no schedule' }),
  running: Type.Boolean({ description: 'Whether a run is in progress on any instance' }),
  instance: t.Nullable(t.Text('Host and process id of the instance that runs it now', 'shop-1:17')),
  nextRunAt: t.Nullable(t.Timestamp('Time of the next scheduled run; null: switched off or running')),
  lastRun: t.Nullable(t.ref(JobRun), { description: 'The newest run; null: it has never run' }),
})
export type Job = Static<typeof Job>

export const JobParams = Type.Object({ name: JobName })

export const JobChange = t.NamedObject('JobChange', 'A change of a job', {
  enabled: Type.Boolean({ description: 'Whether the job runs on its schedule' }),
})
export type JobChange = Static<typeof JobChange>
