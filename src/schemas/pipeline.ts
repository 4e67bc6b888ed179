import { type Static, Type } from '@sinclair/typebox'
import { PIPELINE_STAGES, STAGE_STATUSES } from '../../db/tables/pipeline.ts'
import { Count, described, Enum, Id, Nullable, Page, ref, Timestamp } from './common.ts'
import { RunStatus } from './sync.ts'

export const PipelineStageName = Enum(PIPELINE_STAGES, {
  $id: 'PipelineStageName',
  description: 'A step of the pipeline, in the order in which a run does them',
})
export const PipelineStageStatus = Enum(STAGE_STATUSES, {
  $id: 'PipelineStageStatus',
  description: 'What became of a step; SKIPPED: a dry run has no use for it',
})

const Counts = Type.Record(Type.String(), Count, {
  description:
    'What it has done, while it runs too: `offers`, `skipped`, `changed`, `queued`, `perSecond` and the like',
})

export const PipelineStage = Type.Object(
  {
    stage: ref(PipelineStageName),
    status: ref(PipelineStageStatus),
    startedAt: Nullable(described(Timestamp, 'When it began; null: it has not')),
    finishedAt: Nullable(described(Timestamp, 'When it ended; null: it has not')),
    durationMs: Nullable(described(Count, 'Milliseconds; null: it has not ended')),
    counts: Counts,
    error: Nullable(Type.String({ description: 'Why it failed' })),
  },
  {
    $id: 'PipelineStage',
    description: 'What a run did at one step',
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
  snapshotId: 5,
  stages: PipelineStage.examples,
}

/** Contract section 9, "Pipeline". */
export const PipelineRun = Type.Object(
  {
    id: described(Id, 'Id of the run'),
    status: ref(RunStatus),
    dryRun: Type.Boolean({ description: 'It said what would change, and changed nothing' }),
    attempts: described(Count, 'How often it was begun: retries count'),
    startedAt: described(Timestamp, 'When it began first'),
    finishedAt: Nullable(described(Timestamp, 'When it ended; null: it is under way')),
    durationMs: Nullable(described(Count, 'Milliseconds; null: it is under way')),
    error: Nullable(Type.String({ description: 'Why it failed' })),
    snapshotId: Nullable(described(Id, 'What it has read; null: not kept, or no longer')),
    stages: Type.Array(ref(PipelineStage), { description: 'All of them, in their order' }),
  },
  { $id: 'PipelineRun', description: 'A run of the XML pipeline', examples: [EXAMPLE] },
)
export type PipelineRun = Static<typeof PipelineRun>

export const PipelineRunPage = Page(PipelineRun)

export const SkippedOffer = Type.Object(
  {
    id: Nullable(Type.String({ description: "The feed's id; null: it could not be read" })),
    reason: Type.String({ description: 'Why it could not be taken' }),
  },
  {
    $id: 'SkippedOffer',
    description: 'An offer or a category of the feed that could not be taken',
    examples: [{ id: 'T100007', reason: 'the offer has </nam> where <name> is open' }],
  },
)

export const PipelineRunDetails = Type.Object(
  {
    ...PipelineRun.properties,
    skippedOffers: Type.Array(ref(SkippedOffer), {
      description: 'The first 1000; `skipped` of the stage PARSE counts them all',
    }),
  },
  {
    $id: 'PipelineRunDetails',
    description: 'A run with the offers that it skipped',
    examples: [{ ...EXAMPLE, skippedOffers: SkippedOffer.examples }],
  },
)
export type PipelineRunDetails = Static<typeof PipelineRunDetails>

export const StartedPipelineRun = Type.Object(
  { runId: described(Id, 'Id of the run'), status: ref(RunStatus) },
  {
    $id: 'StartedPipelineRun',
    description: 'A run that goes on in the background',
    examples: [{ runId: 6, status: 'RUNNING' }],
  },
)

const Wait = Type.Boolean({ default: false, description: 'Answer when the run has ended', examples: [true] })
export const PipelineRetryQuery = Type.Object({ wait: Wait })
export const PipelineRunQuery = Type.Object({
  wait: Wait,
  dryRun: Type.Boolean({
    default: false,
    description: 'Change nothing: the counts of the stages say what would change',
    examples: [true],
  }),
})
export type PipelineRunQuery = Static<typeof PipelineRunQuery>
