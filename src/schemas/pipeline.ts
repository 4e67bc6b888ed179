import { type Static, Type } from '@sinclair/typebox'
import { PIPELINE_STAGES, STAGE_STATUSES } from '../../db/tables/pipeline.ts'
import * as t from './common.ts'
import { Page } from './lists.ts'
import { RUN } from './runs.ts'

const PipelineStageName = t.NamedEnum(
  'PipelineStageName',
  'Stage of the pipeline, in the order of execution',
  PIPELINE_STAGES,
)
const PipelineStageStatus = t.NamedEnum('PipelineStageStatus', 'Status of a stage', STAGE_STATUSES)

const Counts = Type.Record(Type.String(), t.Count('Number'), {
  description: 'Counters such as `offers`, `skipped`, `changed` and `queued`, updated while the stage runs',
  examples: [{ offers: 1960, categories: 24, skipped: 0, duplicates: 0 }],
})

export const PipelineStage = t.NamedObject('PipelineStage', 'A stage of a run', {
  stage: t.ref(PipelineStageName),
  status: t.ref(PipelineStageStatus),
  startedAt: t.Nullable(t.Timestamp('Start; null: not started')),
  finishedAt: t.Nullable(t.Timestamp('End; null: not finished')),
  durationMs: t.Nullable(t.Count('Milliseconds; null: not finished')),
  counts: Counts,
  error: t.Nullable(t.Text('Reason of the failure')),
})

/** Contract section 9, "Pipeline". */
export const PipelineRun = t.NamedObject('PipelineRun', 'A run of the XML pipeline', {
  ...RUN,
  attempts: t.Count('Number of attempts, including retries'),
  startedAt: t.Timestamp('Start of the first attempt'),
  warnings: Type.Array(t.Text('Message'), {
    description: 'What needs attention even though the run succeeded',
  }),
  snapshotId: t.Nullable(t.Id('Snapshot of the feed; null: none, or deleted since')),
  stages: t.List(PipelineStage, 'All stages in order of execution'),
})
export type PipelineRun = Static<typeof PipelineRun>

export const PipelineRunPage = Page(PipelineRun)

const SkippedOffer = t.NamedObject('SkippedOffer', 'A skipped offer or category of the feed', {
  id: t.Nullable(t.Text("The feed's id; null: unreadable", 'T100007')),
  reason: t.Text('Reason', 'the offer has </nam> where <name> is open'),
})

export const PipelineRunDetails = t.NamedObject('PipelineRunDetails', 'A run with its skipped offers', {
  ...PipelineRun.properties,
  skippedOffers: t.List(SkippedOffer, 'The first 1000; `skipped` of the PARSE stage counts all'),
})
export type PipelineRunDetails = Static<typeof PipelineRunDetails>

const FeedCategoryId = t.NonBlank(200, "The feed's id of the category", '3542')
export const FeedCategoryParams = Type.Object({ feedCategoryId: FeedCategoryId })

export const CategoryMappingInput = t.NamedObject('CategoryMappingInput', 'Mapping of a feed category', {
  categoryId: t.Id('Id of a category of the shop'),
})

const MappedCategory = t.NamedObject('MappedCategory', 'A category of the shop', {
  id: t.Id('Id of the category'),
  name: t.Text('Name', 'Перфораторы'),
})

/** Contract section 9, "Pipeline". */
export const FeedCategory = t.NamedObject('FeedCategory', "A category of the supplier's XML feed", {
  id: t.Text("The feed's id of the category", '3542'),
  name: t.Text('Name in the feed', 'Перфораторы'),
  parentId: t.Nullable(t.Text('Parent in the feed; null: top level', '3500')),
  offers: t.Count('Number of offers directly in the category'),
  inFeed: Type.Boolean({ description: 'False: no longer in the feed, but still mapped' }),
  category: t.Nullable(t.ref(MappedCategory), {
    description: 'Mapped category of the shop; null: not mapped',
    examples: [{ id: 12, name: 'Перфораторы' }],
  }),
})
export type FeedCategory = Static<typeof FeedCategory>
