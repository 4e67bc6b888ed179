import { type Static, Type } from '@sinclair/typebox'
import { RUN_STATUSES } from '../../db/tables/sync.ts'
import * as t from './common.ts'

const RunStatus = t.NamedEnum('RunStatus', 'Status of a run', RUN_STATUSES)

/** The members of every run: of the sync, of the pipeline, of a job. */
export const RUN = {
  id: t.Id('Id of the run'),
  status: t.ref(RunStatus),
  startedAt: t.Timestamp('Start'),
  finishedAt: t.Nullable(t.Timestamp('End; null: running')),
  durationMs: t.Nullable(t.Count('Milliseconds; null: running')),
  error: t.Nullable(t.Text('Cause of the failure')),
}

export const StartedRun = t.NamedObject('StartedRun', 'A run that continues in the background', {
  runId: t.Id('Id of the run'),
  status: t.ref(RunStatus),
})
export type StartedRun = Static<typeof StartedRun>

/** `wait` of a request that starts a run. */
export const WaitQuery = Type.Object({ wait: t.Flag('Respond only when the run has finished') })
