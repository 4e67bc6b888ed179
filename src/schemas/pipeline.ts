import { type Static, Type } from '@sinclair/typebox'
import { PIPELINE_STAGES, STAGE_STATUSES } from '../../db/tables/pipeline.ts'
import { Count, Flag, Id, List, NamedEnum, NamedObject, Nullable, ref, Text, Timestamp } from './common.ts'
import { Page } from './lists.ts'
import { RUN, WaitQuery } from './runs.ts'

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

const Counts = Type.Record(Type.String(), Count('Number'), {
  description:
    'Counters such as `offers`, `skipped`, `changed`, `queued` and `perSecond`, updated while the stage runs',
  examples: [{ offers: 1960, categories: 24, skipped: 0, duplicates: 0, perSecond: 11_240 }],
})

export const PipelineStage = NamedObject('PipelineStage', 'A stage of a run', {
  stage: ref(PipelineStageName),
  status: ref(PipelineStageStatus),
  startedAt: Nullable(Timestamp('Start; null: not started')),
  finishedAt: Nullable(Timestamp('End; null: not finished')),
  durationMs: Nullable(Count('Milliseconds; null: not finished')),
  counts: Counts,
  error: Nullable(Text('Reason of the failure')),
})

/** Contract section 9, "Pipeline". */
export const PipelineRun = NamedObject('PipelineRun', 'A run of the XML pipeline', {
  ...RUN,
  dryRun: Type.Boolean({ description: 'The run only counted what would change' }),
  attempts: Count('Number of attempts, including retries'),
  startedAt: Timestamp('Start of the first attempt'),
  warnings: Type.Array(Text('Message'), { description: 'What to look at although the run succeeded' }),
  snapshotId: Nullable(Id('Snapshot of the feed; null: none, or deleted since')),
  stages: List(PipelineStage, 'All stages in order of execution'),
})
export type PipelineRun = Static<typeof PipelineRun>

export const PipelineRunPage = Page(PipelineRun)

export const SkippedOffer = NamedObject('SkippedOffer', 'A skipped offer or category of the feed', {
  id: Nullable(Text("The feed's id; null: unreadable", 'T100007')),
  reason: Text('Reason', 'the offer has </nam> where <name> is open'),
})

export const PipelineRunDetails = NamedObject('PipelineRunDetails', 'A run with its skipped offers', {
  ...PipelineRun.properties,
  skippedOffers: List(SkippedOffer, 'The first 1000; `skipped` of the PARSE stage counts all'),
})
export type PipelineRunDetails = Static<typeof PipelineRunDetails>

export const PipelineRunQuery = Type.Object({
  ...WaitQuery.properties,
  dryRun: Flag('Change nothing, only count what would change'),
})
export type PipelineRunQuery = Static<typeof PipelineRunQuery>
