import { type Static, Type } from '@sinclair/typebox'
import { PIPELINE_STAGES, STAGE_STATUSES } from '../../db/tables/pipeline.ts'
import {
  Count,
  described,
  Id,
  NamedEnum,
  NamedObject,
  Nullable,
  Page,
  ref,
  Text,
  Timestamp,
} from './common.ts'
import { RunStatus } from './sync.ts'

export const PipelineStageName = NamedEnum(
  'PipelineStageName',
  'Stage of the pipeline, in the order of execution',
  PIPELINE_STAGES,
)
export const PipelineStageStatus = NamedEnum(
  'PipelineStageStatus',
  'Status of a stage; SKIPPED: not needed in a dry run',
  STAGE_STATUSES,
)

const Counts = Type.Record(Type.String(), Count, {
  description:
    'Counters such as `offers`, `skipped`, `changed`, `queued` and `perSecond`, updated while the stage runs',
  examples: [{ offers: 1960, categories: 24, skipped: 0, duplicates: 0, perSecond: 11_240 }],
})

export const PipelineStage = NamedObject('PipelineStage', 'A stage of a run', {
  stage: ref(PipelineStageName),
  status: ref(PipelineStageStatus),
  startedAt: Nullable(described(Timestamp, 'Start; null: not started')),
  finishedAt: Nullable(described(Timestamp, 'End; null: not finished')),
  durationMs: Nullable(described(Count, 'Milliseconds; null: not finished')),
  counts: Counts,
  error: Nullable(Text('Reason of the failure')),
})

/** Contract section 9, "Pipeline". */
export const PipelineRun = NamedObject('PipelineRun', 'A run of the XML pipeline', {
  id: described(Id, 'Id of the run'),
  status: ref(RunStatus),
  dryRun: Type.Boolean({ description: 'The run only counted what would change' }),
  attempts: described(Count, 'Number of attempts, including retries'),
  startedAt: described(Timestamp, 'Start of the first attempt'),
  finishedAt: Nullable(described(Timestamp, 'End; null: running')),
  durationMs: Nullable(described(Count, 'Milliseconds; null: running')),
  error: Nullable(Text('Reason of the failure')),
  warnings: Type.Array(Text('Message'), {
    description: 'What to look at although the run succeeded',
  }),
  snapshotId: Nullable(described(Id, 'Snapshot of the feed; null: none, or deleted since')),
  stages: Type.Array(ref(PipelineStage), { description: 'All stages in order of execution' }),
})
export type PipelineRun = Static<typeof PipelineRun>

export const PipelineRunPage = Page(PipelineRun)

export const SkippedOffer = NamedObject('SkippedOffer', 'A skipped offer or category of the feed', {
  id: Nullable(Text("The feed's id; null: unreadable", 'T100007')),
  reason: Text('Reason', 'the offer has </nam> where <name> is open'),
})

export const PipelineRunDetails = NamedObject('PipelineRunDetails', 'A run with its skipped offers', {
  ...PipelineRun.properties,
  skippedOffers: Type.Array(ref(SkippedOffer), {
    description: 'The first 1000; `skipped` of the PARSE stage counts all',
  }),
})
export type PipelineRunDetails = Static<typeof PipelineRunDetails>

export const StartedPipelineRun = NamedObject('StartedPipelineRun', 'A run in the background', {
  runId: described(Id, 'Id of the run'),
  status: ref(RunStatus),
})

const Wait = Type.Boolean({
  default: false,
  description: 'Respond after the run has finished',
  examples: [true],
})
export const PipelineRetryQuery = Type.Object({ wait: Wait })
export const PipelineRunQuery = Type.Object({
  wait: Wait,
  dryRun: Type.Boolean({
    default: false,
    description: 'Change nothing, only count what would change',
    examples: [true],
  }),
})
export type PipelineRunQuery = Static<typeof PipelineRunQuery>
