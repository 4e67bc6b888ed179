import { type Static, Type } from '@sinclair/typebox'
import { PIPELINE_STAGES, STAGE_STATUSES } from '../../db/tables/pipeline.ts'
import { Count, Id, List, NamedEnum, NamedObject, Nullable, ref, Text, Timestamp, Word } from './common.ts'
import { Page } from './lists.ts'
import { RUN } from './runs.ts'

export const PipelineStageName = NamedEnum(
  'PipelineStageName',
  'Stage of the pipeline, in the order of execution',
  PIPELINE_STAGES,
)
export const PipelineStageStatus = NamedEnum('PipelineStageStatus', 'Status of a stage', STAGE_STATUSES)

const Counts = Type.Record(Type.String(), Count('Number'), {
  description: 'Counters such as `offers`, `skipped`, `changed` and `queued`, updated while the stage runs',
  examples: [{ offers: 1960, categories: 24, skipped: 0, duplicates: 0 }],
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

const FeedCategoryId = Word(200, "The feed's id of the category", '3542')
export const FeedCategoryParams = Type.Object({ feedCategoryId: FeedCategoryId })

export const CategoryMappingInput = NamedObject('CategoryMappingInput', 'Mapping of a feed category', {
  categoryId: Id('Id of a category of the shop'),
})
export type CategoryMappingInput = Static<typeof CategoryMappingInput>

export const MappedCategory = NamedObject('MappedCategory', 'A category of the shop', {
  id: Id('Id of the category'),
  name: Text('Name', 'Перфораторы'),
})

/** Contract section 9, "Pipeline". */
export const FeedCategory = NamedObject('FeedCategory', "A category of the supplier's XML feed", {
  id: Text("The feed's id of the category", '3542'),
  name: Text('Name in the feed', 'Перфораторы'),
  parentId: Nullable(Text('Parent in the feed; null: top level', '3500')),
  offers: Count('Number of offers directly in the category'),
  inFeed: Type.Boolean({ description: 'False: no longer in the feed, but still mapped' }),
  category: Nullable(ref(MappedCategory), {
    description: 'Mapped category of the shop; null: not mapped',
    examples: [{ id: 12, name: 'Перфораторы' }],
  }),
})
export type FeedCategory = Static<typeof FeedCategory>
