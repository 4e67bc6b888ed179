import { type Static, Type } from '@sinclair/typebox'
import { JOB_RUN_STATUSES } from '../../db/tables/job-runs.ts'
import { Count, described, Enum, Id, Nullable, ref, Timestamp } from './common.ts'

const JobName = Type.String({ maxLength: 50, description: 'Name of the job', examples: ['supplier-sync'] })
const Instance = Type.String({ description: 'Host and process id of the instance' })

export const JobRunStatus = Enum(JOB_RUN_STATUSES, { $id: 'JobRunStatus', description: 'State of a run' })

export const JobRun = Type.Object(
  {
    id: described(Id, 'Id of the run'),
    startedAt: described(Timestamp, 'Time of the start'),
    finishedAt: Nullable(described(Timestamp, 'Time of the end; null: in progress')),
    status: ref(JobRunStatus),
    durationMs: Nullable(described(Count, 'Milliseconds; null: in progress')),
    error: Nullable(Type.String({ description: 'Why the run failed' })),
    instance: Instance,
  },
  {
    $id: 'JobRun',
    description: 'A run of a background job',
    examples: [
      {
        id: 4711,
        startedAt: '2026-11-21T10:05:00.012Z',
        finishedAt: '2026-11-21T10:05:03.420Z',
        status: 'SUCCEEDED',
        durationMs: 3408,
        error: null,
        instance: 'shop-1:17',
      },
    ],
  },
)
export type JobRun = Static<typeof JobRun>

export const Job = Type.Object(
  {
    name: JobName,
    description: Type.String({ description: 'What the job does' }),
    schedule: Type.String({ description: 'Cron pattern with seconds, in UTC, or the pause after each run' }),
    enabled: Type.Boolean({ description: 'Whether the schedule is on; a manual run needs no schedule' }),
    running: Type.Boolean({ description: 'Whether a run is in progress on any instance' }),
    instance: Nullable(described(Instance, 'Host and process id of the instance that runs it now')),
    nextRunAt: Nullable(
      described(Timestamp, 'Time of the next scheduled run; null: switched off or running'),
    ),
    lastRun: Nullable(ref(JobRun), { description: 'The newest run; null: it never ran' }),
  },
  {
    $id: 'Job',
    description: 'A background job, as all instances see it',
    examples: [
      {
        name: 'supplier-sync',
        description: "Copy the supplier's catalogue",
        schedule: '0 */5 * * * *',
        enabled: true,
        running: false,
        instance: null,
        nextRunAt: '2026-11-21T10:10:00.000Z',
        lastRun: JobRun.examples[0],
      },
    ],
  },
)
export type Job = Static<typeof Job>

export const JobParams = Type.Object({ name: JobName })

export const JobChange = Type.Object(
  { enabled: Type.Boolean({ description: 'Whether the schedule shall be on' }) },
  { $id: 'JobChange', description: 'A change of a job', examples: [{ enabled: false }] },
)
export type JobChange = Static<typeof JobChange>

export const StartedJob = Type.Object(
  {
    runId: described(Id, 'Id of the run'),
    status: Type.Literal('RUNNING', { description: 'It goes on in the background' }),
  },
  { $id: 'StartedJob', description: 'A run that has begun', examples: [{ runId: 4712, status: 'RUNNING' }] },
)
export type StartedJob = Static<typeof StartedJob>
