import type { Generated, GeneratedAlways, Selectable } from 'kysely'
import type { AlertName } from '../../src/rules/operations/alerts.ts'
import type { RunStatus } from './sync.ts'

/** At most one of each name is open. */
export type AlertsTable = {
  id: GeneratedAlways<number>
  name: AlertName
  /** Facts for operators, in English. */
  details: string
  began_at: Date
  /** When a check no longer found the condition of an open alert; null: the last check found it. */
  absent_since: Date | null
  /** Null: open. */
  ended_at: Date | null
}
export type AlertRow = Selectable<AlertsTable>

export type JobRunsTable = {
  id: GeneratedAlways<number>
  job: string
  status: Generated<RunStatus>
  /** Name of the process. */
  instance: string
  /** The time of the schedule, for which one run is enough; null for manual and repeated runs, and for past ones. */
  due_at: Date | null
  started_at: Generated<Date>
  /** Renewed during the run; a run without is taken for dead. */
  heartbeat_at: Generated<Date>
  finished_at: Date | null
  error: string | null
}

export type JobRunRow = Selectable<JobRunsTable>
