import type { Generated, GeneratedAlways, Selectable } from 'kysely'
import type { RunStatus } from './sync.ts'

export type JobRunsTable = {
  id: GeneratedAlways<number>
  job: string
  status: Generated<RunStatus>
  /** Name of the process. */
  instance: string
  /** The time of the schedule, for which one run is enough; null for manual and repeated runs. */
  due_at: Date | null
  started_at: Generated<Date>
  /** Renewed during the run; a run without is taken for dead. */
  heartbeat_at: Generated<Date>
  finished_at: Date | null
  error: string | null
}

export type JobRunRow = Selectable<JobRunsTable>
