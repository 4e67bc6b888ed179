import { type Static, Type } from '@sinclair/typebox'
import { Count, described, FreeText, Id, NamedObject, Nullable, ref, Text, Timestamp } from './common.ts'
import { RunStatus } from './sync.ts'

const JobName = FreeText(50, 'Name of the job', 'supplier-sync')
const Instance = Text('Host and process id of the instance', 'shop-1:17')

export const JobRun = NamedObject('JobRun', 'A run of a background job', {
  id: Id('Id of the run'),
  startedAt: Timestamp('Time of the start'),
  finishedAt: Nullable(Timestamp('Time of the end; null: in progress')),
  status: ref(RunStatus),
  durationMs: Nullable(Count('Milliseconds; null: in progress')),
  error: Nullable(Text('Why the run failed')),
  instance: Instance,
})
export type JobRun = Static<typeof JobRun>

export const Job = NamedObject('Job', 'A background job, as all instances see it', {
  name: JobName,
  description: Text('What the job does', "Copy the supplier's catalogue"),
  schedule: Text('Cron pattern with seconds, in UTC, or the pause after each run', '0 */5 * * * *'),
  enabled: Type.Boolean({ description: 'Whether the schedule is on; a manual run needs no schedule' }),
  running: Type.Boolean({ description: 'Whether a run is in progress on any instance' }),
  instance: Nullable(described(Instance, 'Host and process id of the instance that runs it now')),
  nextRunAt: Nullable(Timestamp('Time of the next scheduled run; null: switched off or running')),
  lastRun: Nullable(ref(JobRun), { description: 'The newest run; null: it never ran' }),
})
export type Job = Static<typeof Job>

export const JobParams = Type.Object({ name: JobName })

export const JobChange = NamedObject('JobChange', 'A change of a job', {
  enabled: Type.Boolean({ description: 'Whether the schedule shall be on' }),
})
export type JobChange = Static<typeof JobChange>
