import { type Static, Type } from '@sinclair/typebox'
import { PIPELINE_STAGES, STAGE_STATUSES } from '../../db/tables/pipeline.ts'
import { Count, described, Enum, Id, Nullable, Page, ref, Timestamp } from './common.ts'
import { RunStatus } from './sync.ts'

export const PipelineStageName = Enum(PIPELINE_STAGES, {
  $id: 'PipelineStageName',
  description: 'Stage of the pipeline, in the order of execution',
})
export const PipelineStageStatus = Enum(STAGE_STATUSES, {
  $id: 'PipelineStageStatus',
  description: 'Status of a stage; SKIPPED: not needed in a dry run',
})

const Counts = Type.Record(Type.String(), Count, {
  description:
    'Counters such as `offers`, `skipped`, `changed`, `queued` and `perSecond`, updated while the stage runs',
})

export const PipelineStage = Type.Object(
  {
    stage: ref(PipelineStageName),
    status: ref(PipelineStageStatus),
    startedAt: Nullable(described(Timestamp, 'Start; null: not started')),
    finishedAt: Nullable(described(Timestamp, 'End; null: not finished')),
    durationMs: Nullable(described(Count, 'Milliseconds; null: not finished')),
    counts: Counts,
    error: Nullable(Type.String({ description: 'Reason of the failure' })),
  },
  {
    $id: 'PipelineStage',
    description: 'A stage of a run',
    examples: [
      {
        stage: 'PARSE',
        status: 'SUCCEEDED',
        startedAt: '2026-11-23T10:00:01.000Z',
        finishedAt: '2026-11-23T10:00:01.180Z',
        durationMs: 180,
        counts: { offers: 1960, categories: 24, skipped: 0, duplicates: 0, perSecond: 11_240 },
        error: null,
      },
    ],
  },
)

const EXAMPLE = {
  id: 5,
  status: 'SUCCEEDED',
  dryRun: false,
  attempts: 1,
  startedAt: '2026-11-23T10:00:00.000Z',
  finishedAt: '2026-11-23T10:00:02.410Z',
  durationMs: 2410,
  error: null,
  warnings: [],
  snapshotId: 5,
  stages: PipelineStage.examples,
}

/** Contract section 9, "Pipeline". */
export const PipelineRun = Type.Object(
  {
    id: described(Id, 'Id of the run'),
    status: ref(RunStatus),
    dryRun: Type.Boolean({ description: 'The run only counted what would change' }),
    attempts: described(Count, 'Number of attempts, including retries'),
    startedAt: described(Timestamp, 'Start of the first attempt'),
    finishedAt: Nullable(described(Timestamp, 'End; null: running')),
    durationMs: Nullable(described(Count, 'Milliseconds; null: running')),
    error: Nullable(Type.String({ description: 'Reason of the failure' })),
    warnings: Type.Array(Type.String({ description: 'Message' }), {
      description: 'What to look at although the run succeeded',
    }),
    snapshotId: Nullable(described(Id, 'Snapshot of the feed; null: none, or deleted since')),
    stages: Type.Array(ref(PipelineStage), { description: 'All stages in order of execution' }),
  },
  { $id: 'PipelineRun', description: 'A run of the XML pipeline', examples: [EXAMPLE] },
)
export type PipelineRun = Static<typeof PipelineRun>

export const PipelineRunPage = Page(PipelineRun)

export const SkippedOffer = Type.Object(
  {
    id: Nullable(Type.String({ description: "The feed's id; null: unreadable" })),
    reason: Type.String({ description: 'Reason' }),
  },
  {
    $id: 'SkippedOffer',
    description: 'A skipped offer or category of the feed',
    examples: [{ id: 'T100007', reason: 'the offer has </nam> where <name> is open' }],
  },
)

export const PipelineRunDetails = Type.Object(
  {
    ...PipelineRun.properties,
    skippedOffers: Type.Array(ref(SkippedOffer), {
      description: 'The first 1000; `skipped` of the PARSE stage counts all',
    }),
  },
  {
    $id: 'PipelineRunDetails',
    description: 'A run with its skipped offers',
    examples: [{ ...EXAMPLE, skippedOffers: SkippedOffer.examples }],
  },
)
export type PipelineRunDetails = Static<typeof PipelineRunDetails>

export const StartedPipelineRun = Type.Object(
  { runId: described(Id, 'Id of the run'), status: ref(RunStatus) },
  {
    $id: 'StartedPipelineRun',
    description: 'A run in the background',
    examples: [{ runId: 6, status: 'RUNNING' }],
  },
)

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
