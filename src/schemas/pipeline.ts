import { type Static, Type } from '@sinclair/typebox'
import { PIPELINE_STAGES, STAGE_STATUSES } from '../../db/tables/pipeline.ts'
import * as t from './common.ts'
import { RUN, WaitQuery } from './runs.ts'

const PipelineStageName = t.NamedEnum(
  'PipelineStageName',
  'Stage of the pipeline, in the order of execution',
  PIPELINE_STAGES,
)
const PipelineStageStatus = t.NamedEnum('PipelineStageStatus', 'Status of a stage', STAGE_STATUSES)

const Counts = Type.Record(Type.String(), t.Count('Number'), {
  description:
    'Counters such as `offers`, `skipped`, `changed` and `queued`; while the stage runs also the first one `perSecond`',
  examples: [{ offers: 1960, categories: 24, skipped: 0, duplicates: 0 }],
})

const PipelineStage = t.NamedObject('PipelineStage', 'A stage of a run', {
  stage: t.ref(PipelineStageName),
  status: t.ref(PipelineStageStatus),
  startedAt: t.Nullable(t.Timestamp('Start; null: not started')),
  finishedAt: t.Nullable(t.Timestamp('End; null: not finished')),
  durationMs: t.Nullable(t.Count('Milliseconds; null: not finished')),
  counts: Counts,
  error: t.Nullable(t.Text('Reason of the failure')),
})

export const PipelineRun = t.NamedObject('PipelineRun', 'A run of the XML pipeline', {
  ...RUN,
  dryRun: Type.Boolean({ description: 'It only counted what would change' }),
  attempts: t.Count('Number of attempts, including retries'),
  startedAt: t.Timestamp('Start of the first attempt'),
  warnings: Type.Array(t.Text('Message'), { description: 'What needs attention even though the run succeeded' }),
  stages: t.List(PipelineStage, 'All stages in order of execution'),
})
export type PipelineRun = Static<typeof PipelineRun>

export const PipelineRunQuery = Type.Object({
  ...WaitQuery.properties,
  dryRun: t.Flag('Change nothing, only count what would change'),
})
export type PipelineRunQuery = Static<typeof PipelineRunQuery>

const FeedCategoryId = t.NonBlank(200, "The feed's id of the category", '3542')
export const FeedCategoryParams = Type.Object({ feedCategoryId: FeedCategoryId })

export const CategoryMappingInput = t.NamedObject('CategoryMappingInput', 'Mapping of a feed category', {
  categoryId: t.Id('Id of a category of the shop'),
})

const MappedCategory = t.NamedObject('MappedCategory', 'A category of the shop', {
  id: t.Id('Id of the category'),
  name: t.Text('Name', 'Перфораторы'),
})

export const FeedCategory = t.NamedObject('FeedCategory', "A category of the supplier's XML feed", {
  id: t.Text("The feed's id of the category", '3542'),
  name: t.Text('Name in the feed', 'Перфораторы'),
  parentId: t.Nullable(t.Text('Parent in the feed; null: top level', '3500')),
  offers: t.Count('Number of offers directly in the category'),
  inFeed: Type.Boolean({ description: 'False: no longer in the feed, but still mapped' }),
  category: t.Nullable(t.ref(MappedCategory), { description: 'Mapped category of the shop; null: not mapped' }),
})
export type FeedCategory = Static<typeof FeedCategory>

export const Snapshot = t.NamedObject('Snapshot', 'A snapshot of the feed', {
  id: t.Id('Id of the snapshot'),
  runId: t.Id('Run that created it'),
  createdAt: t.Timestamp('Time of creation'),
  sha256: t.Text(
    'SHA-256 of the uncompressed feed',
    '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
  ),
  size: t.Count('Uncompressed size of the feed in bytes'),
  offers: t.Count('Number of offers'),
  categories: t.Count('Number of categories'),
})
export type Snapshot = Static<typeof Snapshot>

const OfferDifference = t.NamedObject('OfferDifference', 'An offer that differs between two snapshots', {
  id: t.Text("The feed's id of the offer", 'T101160'),
  name: t.Text('Name', 'Перфоратор Тармекс ПЕ-1400'),
  price: t.Nullable(t.Money('Price in this snapshot; null: none, or not a number')),
  priceBefore: t.Nullable(t.Money('Price in the previous snapshot; null: none, or not a number', 4299)),
})

export const SnapshotDiff = t.NamedObject('SnapshotDiff', 'Differences from the previous snapshot', {
  snapshotId: t.Id('Id of this snapshot'),
  previousId: t.Nullable(t.Id('Id of the previous snapshot; null: there is none, and all offers are new')),
  counts: Type.Object(
    {
      new: t.Count('Offers only in this snapshot'),
      gone: t.Count('Offers only in the previous snapshot'),
      changed: t.Count('Offers with different content'),
      unchanged: t.Count('Identical offers'),
    },
    { description: 'Total numbers, not limited like the lists' },
  ),
  new: t.List(OfferDifference, 'The first 1000 by id'),
  gone: t.List(OfferDifference, 'The first 1000 by id'),
  changed: t.List(OfferDifference, 'The first 1000 by id'),
})
export type SnapshotDiff = Static<typeof SnapshotDiff>
