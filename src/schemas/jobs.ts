import { type Static, Type } from '@sinclair/typebox'
import { FreeText, NamedObject, Nullable, ref, Text, Timestamp } from './common.ts'
import { RUN } from './runs.ts'

const JobName = FreeText(50, 'Name of the job', 'supplier-sync')

export const JobRun = NamedObject('JobRun', 'A run of a background job', {
  ...RUN,
  instance: Text('Host and process id of the instance', 'shop-1:17'),
})
export type JobRun = Static<typeof JobRun>

export const Job = NamedObject('Job', 'A background job, as all instances see it', {
  name: JobName,
  description: Text('What the job does', "Copy the supplier's catalogue"),
  schedule: Text('Cron pattern with seconds, in UTC, or the pause after each run', '0 */5 * * * *'),
  enabled: Type.Boolean({ description: 'Whether the schedule is on; a manual run needs no schedule' }),
  running: Type.Boolean({ description: 'Whether a run is in progress on any instance' }),
  instance: Nullable(Text('Host and process id of the instance that runs it now', 'shop-1:17')),
  nextRunAt: Nullable(Timestamp('Time of the next scheduled run; null: switched off or running')),
  lastRun: Nullable(ref(JobRun), { description: 'The newest run; null: it never ran' }),
})
export type Job = Static<typeof Job>

export const JobParams = Type.Object({ name: JobName })

export const JobChange = NamedObject('JobChange', 'A change of a job', {
  enabled: Type.Boolean({ description: 'Whether the schedule shall be on' }),
})
export type JobChange = Static<typeof JobChange>
