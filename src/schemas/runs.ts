import { type Static, Type } from '@sinclair/typebox'
import { RUN_STATUSES } from '../../db/tables/sync.ts'
import { Count, Flag, Id, NamedEnum, NamedObject, Nullable, ref, Text, Timestamp } from './common.ts'

export const RunStatus = NamedEnum('RunStatus', 'Status of a run', RUN_STATUSES)

/** The members of every run: of the sync, of the pipeline, of a job. */
export const RUN = {
  id: Id('Id of the run'),
  status: ref(RunStatus),
  startedAt: Timestamp('Start'),
  finishedAt: Nullable(Timestamp('End; null: running')),
  durationMs: Nullable(Count('Milliseconds; null: running')),
  error: Nullable(Text('Cause of the failure')),
}

export const StartedRun = NamedObject('StartedRun', 'A run that goes on in the background', {
  runId: Id('Id of the run'),
  status: ref(RunStatus),
})
export type StartedRun = Static<typeof StartedRun>

/** `wait` of a request that starts a run. */
export const WaitQuery = Type.Object({ wait: Flag('Answer when the run has finished') })
